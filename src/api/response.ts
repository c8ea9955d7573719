import type { z } from "zod";
import { issueWords, pathWords } from "../base/schema-words.ts";
import type { Operation } from "./contract/operation.ts";
import { ApiError, codeOfStatus } from "./errors.ts";
import { headerOf } from "./http.ts";
import type { HttpResponse, ResponseHeaders } from "./http.ts";
import { member, parseJson } from "./json.ts";
import { readMultipart } from "./multipart.ts";
import { cleanMessage } from "./redaction.ts";

/** Headers in which servers and proxies name a request. */
const ID_HEADERS = [
  "x-request-id",
  "request-id",
  "x-correlation-id",
  "x-amzn-trace-id",
  "traceparent",
  "cf-ray",
  "x-trace-id",
];

/** What is shown to people, in the words of `Content-Type`. */
const PAGE = /^(text\/html|application\/xhtml\+xml)\b/i;
/** How much of a body is looked at for the beginning of a page, bytes. */
const PAGE_START = 1024;

/** Whether an answer is a success: any 2xx, since servers of different age differ (facts.md §2, oauth token). */
export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/**
 * The output of a successful answer, checked against the contract: declared fields must have their types, others pass.
 *
 * @throws ApiError UNEXPECTED_RESPONSE naming the operation and the field; the answer's values stay out of the message
 */
export async function readOutput(operation: Operation, response: HttpResponse): Promise<unknown> {
  const { success } = operation;
  switch (success.kind) {
    case "empty":
      requireNoPage(operation, response, "no body");
      return undefined;
    case "json":
      return check(operation, success.schema, readJson(operation, response));
    case "multipart": {
      const form = await readForm(operation, response);
      const metadata = form.metadata === undefined ? {} : parseJson(form.metadata);
      if (metadata === undefined) throw unexpected(operation, "part metadata: expected JSON");
      return { metadata: check(operation, success.metadata, metadata), files: form.files };
    }
    case "text":
      requireNoPage(operation, response, "text");
      return new TextDecoder().decode(response.body);
    case "count":
      return { count: readCount(operation, response) };
    default:
      return success satisfies never;
  }
}

/** The failure that an answer with another status stands for; its message is the server's own, cleaned (redaction.ts). */
export function errorOfAnswer(
  operation: Operation,
  response: HttpResponse,
  details: { readonly secrets: readonly string[]; readonly names?: readonly string[]; readonly code?: "REFUSED" },
): ApiError {
  const { status, headers } = response;
  const body = parseJson(response.body);
  const ids = [...ID_HEADERS.map((name) => headerOf(headers, name)), member(body, "errorEventId")];
  const text = serverMessage(body);
  const message = cleanMessage(text ?? "", {
    secrets: details.secrets,
    names: details.names ?? [],
    ids: ids.filter((id) => typeof id === "string"),
  });
  const code = details.code ?? codeOfStatus(status);
  return new ApiError(
    operation.id,
    { code, status },
    { message: message === "" ? `the platform answered ${status}` : message },
  );
}

/** `{"message": "…"}`, a list of messages, or a bare JSON string (facts.md §5); nothing else of a body is ever shown. */
function serverMessage(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  const message = member(body, "message");
  if (Array.isArray(message)) return message.filter((item) => typeof item === "string").join("; ");
  return typeof message === "string" ? message : undefined;
}

/**
 * A page for people, as a proxy has where someone is to log in, says nothing of what the platform did. A plain text that a server calls HTML, as some do
 * with any, is none.
 */
function requireNoPage(operation: Operation, { headers, status, body }: HttpResponse, instead: string): void {
  const isCalledPage = PAGE.test(headerOf(headers, "content-type") ?? "");
  const isMarkup = /^\s*</.test(new TextDecoder().decode(body.subarray(0, PAGE_START)));
  if (!isCalledPage || !isMarkup) return;
  throw unexpected(operation, `expected ${instead}, got ${describe(headers)} with status ${status}`);
}

function readJson(operation: Operation, response: HttpResponse): unknown {
  const { body, status } = response;
  if (body.length === 0) throw unexpected(operation, `expected JSON, got status ${status} without a body`);
  const value = parseJson(body);
  if (value === undefined) throw unexpected(operation, `expected JSON, got ${describe(response.headers)}`);
  return value;
}

function readCount(operation: Operation, response: HttpResponse): number {
  const text = headerOf(response.headers, "x-total-count") ?? "";
  if (!/^\d{1,15}$/.test(text)) throw unexpected(operation, "header X-Total-Count: expected a number");
  return Number(text);
}

async function readForm(operation: Operation, response: HttpResponse): ReturnType<typeof readMultipart> {
  const contentType = headerOf(response.headers, "content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    throw unexpected(operation, `expected multipart/form-data, got ${describe(response.headers)}`);
  }
  try {
    return await readMultipart(response.body, contentType);
  } catch (error) {
    throw unexpected(operation, "the multipart body is damaged", error);
  }
}

function check(operation: Operation, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value, { error: issueWords });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = pathWords(issue?.path ?? []);
  throw unexpected(operation, `${path === "" ? "body" : path}: ${issue?.message ?? "invalid"}`);
}

function unexpected(operation: Operation, detail: string, cause?: unknown): ApiError {
  return new ApiError(operation.id, { code: "UNEXPECTED_RESPONSE" }, { message: `${operation.id}: ${detail}`, cause });
}

/** The media type as the server names it, as far as it looks like one; damaged JSON says what it should have been. */
function describe(headers: ResponseHeaders): string {
  const mediaType = /^[\w.+-]{1,40}\/[\w.+-]{1,40}/.exec(headerOf(headers, "content-type") ?? "")?.[0];
  if (mediaType === undefined) return "something without a media type";
  return mediaType.endsWith("json") ? "damaged JSON" : mediaType;
}
