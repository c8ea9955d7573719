import type { z } from "zod";
import { issueWords, pathWords } from "../base/schema-words.ts";
import { type BodySpec, type Operation, Verbatim } from "./contract/operation.ts";
import { secretValues } from "./contract/secret-fields.ts";
import { ApiError } from "./errors.ts";
import type { HttpRequest } from "./http.ts";
import { writeMultipart } from "./multipart.ts";
import type { Scope } from "./pacing/pacer.ts";
import { isUploadSource, uploadSchema } from "./upload.ts";

/** A call whose input passed the contract. */
export interface PreparedRequest {
  readonly http: HttpRequest;
  readonly scope: Scope;
  /** values of the body that no message may show */
  readonly secrets: readonly string[];
  /** what its path and its scope name, as the project: no secret */
  readonly names: readonly string[];
}

/** What an operation is called with, before the contract has looked at it. */
export type RawInput = Readonly<Record<string, unknown>>;

/**
 * Checks the input against the contract, strictly, and writes it for the wire.
 *
 * @param parentRef the project that a branch belongs to, for operations that count against it
 * @throws ApiError INVALID_REQUEST naming the operation and the field, never a value
 */
export function prepareRequest(operation: Operation, input: RawInput, parentRef?: string): PreparedRequest {
  try {
    return prepared(operation, input, parentRef);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // a getter of the caller's, or half of a surrogate pair, which no URL can hold
    throw invalid(operation, error instanceof URIError ? "text that is no Unicode" : "the input cannot be read", error);
  }
}

function prepared(operation: Operation, input: RawInput, parentRef: string | undefined): PreparedRequest {
  if (!isObject(input)) throw invalid(operation, "expected an object with the parameters");
  refuseUnknown(operation, input);
  const params = check(operation, operation.params, pick(input, operation.params));
  const query = check(operation, operation.query, pick(input, operation.query));
  const body = operation.body === undefined ? undefined : writeBody(operation, operation.body, input["body"]);
  const accept = ACCEPT[operation.success.kind];
  const scope = scopeOf(operation, { params, body: input["body"], parentRef });
  return {
    http: {
      method: operation.method,
      path: writePath(operation, params) + writeQuery(query),
      headers: { accept, ...body?.headers },
      ...(body === undefined ? {} : { body: body.content }),
    },
    scope,
    secrets: body?.secrets ?? [],
    names: [...Object.values(params).map(wireText), scope.id].filter((name) => name !== ""),
  };
}

/** What is asked for; where the body does not matter it is asked for as the service writes its errors. */
const ACCEPT: Readonly<Record<Operation["success"]["kind"], string>> = {
  json: "application/json",
  empty: "application/json",
  count: "application/json",
  multipart: "multipart/form-data",
  text: "text/plain, application/json;q=0.9",
};

function invalid(operation: Operation, detail: string, cause?: unknown): ApiError {
  return new ApiError(operation.id, { code: "INVALID_REQUEST" }, { message: `${operation.id}: ${detail}`, cause });
}

/** JavaScript may have given anything. */
function isObject(input: unknown): boolean {
  return typeof input === "object" && input !== null;
}

function refuseUnknown(operation: Operation, input: RawInput): void {
  const known = new Set([...Object.keys(operation.params.shape), ...Object.keys(operation.query.shape)]);
  if (operation.body !== undefined) known.add("body");
  for (const key of Object.keys(input)) if (!known.has(key)) throw invalid(operation, `${key}: no such parameter`);
}

function pick(input: RawInput, schema: z.ZodObject): RawInput {
  return Object.fromEntries(Object.keys(schema.shape).flatMap((key) => (key in input ? [[key, input[key]]] : [])));
}

/** Says what was expected and of what type the value is, never the value. */
function check<S extends z.ZodType>(operation: Operation, schema: S, value: unknown, at = ""): z.output<S> {
  const result = schema.safeParse(value, { error: issueWords });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = pathWords([...(at === "" ? [] : [at]), ...(issue?.path ?? [])]);
  throw invalid(operation, `${path === "" ? "" : `${path}: `}${issue?.message ?? "invalid"}`);
}

function writePath(operation: Operation, params: RawInput): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = wireText(params[name]);
    // Servers and proxies resolve these segments: the request would reach another path.
    if (value === "." || value === "..") throw invalid(operation, `${name}: must not be "." or ".."`);
    return encodeURIComponent(value);
  });
}

/**
 * Lists are separated by commas (facts.md §6.11), booleans are the words true and false (endpoints.md, Conventions), fields of objects are
 * parameters of their own, `page[size]` (behaviour.md, cursor-paginated envelope).
 */
function writeQuery(query: RawInput): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => parametersOf(name, value));
  const text = pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return text === "" ? "" : `?${text}`;
}

function parametersOf(name: string, value: unknown): readonly (readonly [name: string, text: string])[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[name, wireText(value)]];
  return Object.entries(value).flatMap(([key, inner]) => parametersOf(`${name}[${key}]`, inner));
}

function wireText(value: unknown): string {
  if (Array.isArray(value)) return value.map(wireText).join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A body that is not given, where nothing is required of one: the service reads its absence as an empty object. */
function leftOut(schema: z.ZodType): unknown {
  return schema.safeParse({}).success ? {} : undefined;
}

interface WrittenBody {
  readonly content: NonNullable<HttpRequest["body"]>;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

function writeBody(operation: Operation, spec: BodySpec, value: unknown): WrittenBody {
  if (spec.encoding === "multipart") {
    const { metadata, files } = check(operation, uploadSchema(spec.metadata), value, "body");
    return { content: writeMultipart(metadata, files), headers: {}, secrets: secretValues(spec.metadata, metadata) };
  }
  if (spec.encoding === "bundle-or-json" && (value instanceof Uint8Array || isUploadSource(value))) {
    return { content: value, headers: { "content-type": spec.mediaType }, secrets: [] };
  }
  if (spec.encoding === "json" && spec.verbatim === true && value instanceof Verbatim) {
    return { content: JSON.stringify(value.value), headers: JSON_TYPE, secrets: [] };
  }
  const checked = check(operation, spec.schema, value === undefined ? leftOut(spec.schema) : value, "body");
  const secrets = secretValues(spec.schema, checked);
  if (spec.encoding === "form") {
    const content = writeQuery(Object(checked) as RawInput).slice(1);
    return { content, headers: { "content-type": "application/x-www-form-urlencoded" }, secrets };
  }
  return { content: JSON.stringify(checked), headers: JSON_TYPE, secrets };
}

const JSON_TYPE = { "content-type": "application/json" };

/** What the request counts against (facts.md, "Scope of a request"). */
function scopeOf(
  operation: Operation,
  {
    params,
    body,
    parentRef,
  }: { readonly params: RawInput; readonly body: unknown; readonly parentRef: string | undefined },
): Scope {
  switch (operation.limitScope) {
    case "project":
      return { kind: "project", id: wireText(params["ref"]) };
    case "organization":
      return { kind: "organization", id: wireText(params["slug"]) };
    case "bodyOrganization":
      return { kind: "organization", id: wireText(Reflect.get(Object(body), "organization_slug")) };
    case "branchParent":
      if (parentRef === undefined) throw invalid(operation, "parentRef: the ref of the branch's project must be told");
      return { kind: "project", id: parentRef };
    case "identity":
      return { kind: "identity", id: "" };
    default:
      return operation.limitScope satisfies never;
  }
}
