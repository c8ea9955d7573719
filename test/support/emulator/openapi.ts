import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { FormData } from "undici";
import type { Operation } from "../../../src/api/contract/operation.ts";
import type { Received } from "./api.ts";

/** What a generated client would go by: the OpenAPI document, read by a validator of JSON Schema that nobody here wrote. */
export interface DocumentedApi {
  /** Why a body, given as a value, or an answer is not one that the document has for the operation; undefined when both are. */
  wrong(operation: Operation, body: unknown, received: Received): string | undefined;
}

interface Place {
  readonly node: unknown;
  /** keys that lead there from the root, references followed */
  readonly path: readonly string[];
}

const JSON_SCHEMA = ["content", "application/json", "schema"] as const;

/** @param document as /openapi.json gives it */
export function documentedApi(document: unknown): DocumentedApi {
  const check = checker(document);
  return {
    wrong: (operation, body, received) =>
      wrongRequest(check, operation, body) ?? wrongAnswer({ document, check }, operation, received),
  };
}

/** Says what is wrong with a value by the schema at the end of a path of keys; undefined when nothing is. */
type Check = (value: unknown, keys: readonly string[]) => string | undefined;

function checker(document: unknown): Check {
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(Object(document) as object, "api");
  const compiled = new Map<string, ValidateFunction>();
  return (value, keys) => {
    const { node, path } = placeOf(document, keys);
    if (node === undefined) return `the document has no ${keys.join(" ")}`;
    const pointer = path.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    const check = compiled.get(pointer) ?? ajv.compile({ $ref: `api#/${pointer}` });
    compiled.set(pointer, check);
    return check(value) ? undefined : `${keys.join(" ")}: ${ajv.errorsText(check.errors)}`;
  };
}

function placeOf(document: unknown, keys: readonly string[]): Place {
  let node: unknown = document;
  let path: readonly string[] = [];
  for (const key of keys) {
    node = Reflect.get(Object(node), key);
    path = [...path, key];
    const reference: unknown = Reflect.get(Object(node), "$ref");
    if (typeof reference === "string" && key !== "schema") {
      ({ node, path } = placeOf(document, reference.replace(/^#\//u, "").split("/")));
    }
  }
  return { node, path };
}

function keysOf({ path, method }: Operation): readonly string[] {
  return ["paths", path, method.toLowerCase()];
}

function wrongRequest(check: Check, operation: Operation, body: unknown): string | undefined {
  if (body === undefined || typeof body === "string" || body instanceof FormData) return undefined;
  const form = body instanceof URLSearchParams;
  const mediaType = form ? "application/x-www-form-urlencoded" : "application/json";
  const value: unknown = form ? Object.fromEntries(body) : body;
  return check(value, [...keysOf(operation), "requestBody", "content", mediaType, "schema"]);
}

function wrongAnswer(
  { document, check }: { readonly document: unknown; readonly check: Check },
  operation: Operation,
  { status, headers, text, json }: Received,
): string | undefined {
  if (isUnknownRoute(json)) return undefined; // an empty parameter in the path: no operation's answer
  const answer = [...keysOf(operation), "responses", String(status)];
  const { node } = placeOf(document, answer);
  if (node === undefined) return `the document has no ${status} for ${operation.id}`;
  const { content, headers: declared } = Object(node) as Readonly<Record<string, object | undefined>>;
  const missing = Object.keys(declared ?? {}).filter(
    (name) => name !== "Retry-After" && !(name.toLowerCase() in headers),
  );
  if (missing.length > 0) return `${operation.id} ${status}: no header ${missing.join(", ")}`;
  if (operation.method === "HEAD") return undefined;
  if (content === undefined) {
    return text === "" ? undefined : `${operation.id} ${status}: a body, and the document has none`;
  }
  const mediaType = headers["content-type"]?.split(";", 1)[0] ?? "none";
  if (!(mediaType in content)) return `${operation.id} ${status}: the document has no ${mediaType}`;
  return mediaType === "application/json" ? check(json, [...answer, ...JSON_SCHEMA]) : undefined;
}

function isUnknownRoute(json: unknown): boolean {
  return /^Cannot [A-Z]+ \//u.test(String(Reflect.get(Object(json), "message")));
}
