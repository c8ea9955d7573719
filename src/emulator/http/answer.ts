import type { Operation, OperationOutput } from "../../api/contract/operation.ts";
import { ApiFailure } from "../failure.ts";

/** What goes on the wire, before faults spoil it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const custom: unique symbol = Symbol("custom");

/** An answer whose body or headers the contract leaves open; the status is the declared one unless it says another. */
export interface CustomReply {
  readonly [custom]: true;
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What a handler gives back: the declared output, or a body of its own. */
export type Reply<O extends Operation> = OperationOutput<O> | CustomReply;

export function customReply(contentType: string, body: string | Uint8Array): CustomReply {
  return { [custom]: true, headers: { "content-type": contentType }, body };
}

/** The declared JSON body with headers of its own. */
export function jsonReply(value: unknown, headers: Readonly<Record<string, string>>): CustomReply {
  return { [custom]: true, headers: { ...headers, "content-type": JSON_TYPE }, body: JSON.stringify(value) };
}

/** Sends a browser elsewhere, with GET (facts.md §6.14). */
export function redirectReply(location: string, headers: Readonly<Record<string, string>> = {}): CustomReply {
  return { [custom]: true, status: 303, headers: { ...headers, location }, body: "" };
}

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, headers: { "content-type": JSON_TYPE }, body: JSON.stringify(value) };
}

function isCustom(reply: unknown): reply is CustomReply {
  return typeof reply === "object" && reply !== null && custom in reply;
}

/** The answer of a handler that did its work. */
export async function successAnswer(operation: Operation, reply: unknown): Promise<Answer> {
  const { success } = operation;
  if (isCustom(reply)) return { status: reply.status ?? success.status, headers: reply.headers, body: reply.body };
  switch (success.kind) {
    case "json":
      return jsonAnswer(success.status, reply);
    case "empty":
      return success.body === undefined
        ? { status: success.status, headers: {}, body: "" }
        : jsonAnswer(success.status, success.body);
    case "multipart":
      return multipartAnswer(success.status, reply);
    case "text":
      return { status: success.status, headers: { "content-type": TEXT_TYPE }, body: textOf(reply) };
    case "count":
      return { status: success.status, headers: { "X-Total-Count": String(countOf(reply)) }, body: "" };
    default:
      return success satisfies never;
  }
}

function countOf(reply: unknown): number {
  if (typeof reply === "object" && reply !== null && "count" in reply && typeof reply.count === "number") {
    return reply.count;
  }
  throw new TypeError("a reply of kind count has a count");
}

function textOf(reply: unknown): string {
  if (typeof reply === "string") return reply;
  throw new TypeError("a reply of kind text is a string");
}

interface MultipartOutput {
  readonly metadata: unknown;
  readonly files: readonly { readonly path: string; readonly content: Uint8Array }[];
}

function isMultipartOutput(reply: unknown): reply is MultipartOutput {
  return typeof reply === "object" && reply !== null && "metadata" in reply && "files" in reply;
}

async function multipartAnswer(status: number, reply: unknown): Promise<Answer> {
  if (!isMultipartOutput(reply)) throw new TypeError("a multipart reply has metadata and files");
  const form = new FormData();
  form.append("metadata", new Blob([JSON.stringify(reply.metadata)], { type: "application/json" }), "metadata.json");
  for (const file of reply.files) form.append("file", new Blob([Uint8Array.from(file.content)]), file.path);
  const encoded = new Response(form); // writes boundary and escapes file names
  const contentType = encoded.headers.get("content-type") ?? "multipart/form-data";
  return { status, headers: { "content-type": contentType }, body: new Uint8Array(await encoded.arrayBuffer()) };
}

/** The answer of a request that was refused or failed. Unexpected errors tell nothing of themselves. */
export function failureAnswer(error: unknown, errorEventId: string): Answer {
  if (error instanceof ApiFailure) {
    const { status, message, fields } = error;
    const answer = jsonAnswer(status, fields === "bare" ? message : { message, ...fields });
    return { ...answer, headers: { ...answer.headers, ...error.headers } };
  }
  return jsonAnswer(500, { message: "Internal server error", errorEventId });
}
