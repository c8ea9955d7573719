import { Readable } from "node:stream";
import type { MultipartValue } from "@fastify/multipart";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { BodySpec } from "../../api/contract/operation.ts";
import { ApiFailure, badRequest } from "../failure.ts";
import type { StoredFile } from "../functions/function-state.ts";
import { sha256 } from "../state/ids.ts";
import { decoded } from "./encoding.ts";
import { mediaTypeOf } from "./media-type.ts";
import { omitted } from "./redact.ts";
import { placeWords } from "./refusal-words.ts";
import { shown } from "./shown.ts";
import { parseJson, validateBody } from "./validation.ts";

/** Largest request body, also once it is decoded; the service's own is not shown (behaviour.md, Limits). */
export const BODY_LIMIT = 64 * 1024 * 1024;

/** A request body as it was read, not yet checked against its schema. */
export type RawBody =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "form"; readonly value: Readonly<Record<string, string>> }
  | { readonly kind: "bundle"; readonly bytes: Uint8Array }
  | { readonly kind: "multipart"; readonly metadata: unknown; readonly files: readonly StoredFile[] }
  | { readonly kind: "other"; readonly contentType: string; readonly bytes: number };

/** Reads what was sent, in whatever encoding it says. @throws ApiFailure 400 for a body that its own encoding does not allow */
export async function readBody(request: FastifyRequest, spec: BodySpec | undefined): Promise<RawBody> {
  if (request.isMultipart()) {
    return spec?.encoding === "multipart" ? readMultipart(request).catch(refuseForm) : OTHER_MULTIPART;
  }
  const sent = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (spec === undefined || sent.length === 0) return { kind: "none" };
  const bytes = await decoded(sent, request.headers["content-encoding"], BODY_LIMIT);
  const contentType = mediaTypeOf(request);
  if (spec.encoding === "bundle-or-json" && contentType === spec.mediaType) return { kind: "bundle", bytes };
  if (contentType === "application/x-www-form-urlencoded" && takesForm(spec)) return readForm(bytes.toString("utf8"));
  if (contentType === "application/json" && spec.encoding !== "form") {
    return { kind: "json", value: parseJson(bytes.toString("utf8"), "body") };
  }
  return { kind: "other", contentType, bytes: bytes.length };
}

function takesForm(spec: BodySpec): boolean {
  return spec.encoding === "form" || (spec.encoding === "json" && spec.orForm === true);
}

/** @throws ApiFailure 400 for a name that is there twice: which of the two counts, nobody knows (RFC 6749 §3.2) */
function readForm(text: string): RawBody {
  const fields = new URLSearchParams(text);
  const twice = [...fields.keys()].find((name) => fields.getAll(name).length > 1);
  if (twice !== undefined) throw badRequest(`${placeWords([twice])}: given more than once`);
  return { kind: "form", value: Object.fromEntries(fields) };
}

const OTHER_MULTIPART: RawBody = { kind: "other", contentType: "multipart/form-data", bytes: 0 };

/** The metadata is a text field or a JSON file part, before or after the files (facts.md §6.12). */
async function readMultipart(request: FastifyRequest): Promise<RawBody> {
  refuseLength(Number(request.headers["content-length"] ?? 0));
  const form = await uncompressed(request);
  const metadataParts: unknown[] = [];
  const files: StoredFile[] = [];
  let length = 0;
  // preservePath: the filename of a part is a path within the function, which the parser would cut to its last name
  for await (const part of form.parts({ preservePath: true, limits: { fieldSize: LARGEST_FIELD } })) {
    const isMetadata = part.fieldname === "metadata";
    if (part.type === "field") {
      if (!isMetadata) {
        throw badRequest(
          `${placeWords([part.fieldname])}: expected a file part with a file name, received a text field`,
        );
      }
      metadataParts.push(metadataOf(part));
      continue;
    }
    const content = await part.toBuffer();
    length += content.length; // the parser's own limit is one file's
    refuseLength(length);
    if (isMetadata) metadataParts.push(parseJson(content.toString("utf8"), "metadata"));
    else if (part.fieldname === "file") files.push({ path: nameOf(part), content });
    else throw badRequest(`Unrecognized part: '${placeWords([part.fieldname])}'`);
  }
  if (metadataParts.length > 1) throw badRequest("metadata: given more than once");
  return { kind: "multipart", metadata: metadataParts[0], files };
}

const LARGEST_FIELD = 1_048_576;

/**
 * The same request with the bytes of its form as they were before they were compressed: the parser of forms reads the connection itself.
 *
 * @throws ApiFailure 400 for bytes that do not fit their coding, and for more than the limit on either side of it
 */
async function uncompressed(request: FastifyRequest): Promise<FastifyRequest> {
  const coding = request.headers["content-encoding"];
  if (coding === undefined) return request;
  const sent: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false })) {
    const bytes = z.instanceof(Buffer).parse(chunk);
    length += bytes.length;
    refuseLength(length);
    sent.push(bytes);
  }
  const form = Readable.from([await decoded(Buffer.concat(sent), coding, BODY_LIMIT)]);
  const raw = Object.assign(form, { headers: request.raw.headers });
  const same: unknown = Object.create(request, { raw: { value: raw } });
  return same as FastifyRequest; // its prototype is one, and of what it is read from the parser needs a stream with headers
}

/** @throws ApiFailure 400, as for every body that is too large */
function refuseLength(bytes: number): void {
  if (bytes > BODY_LIMIT) throw badRequest("Request body is too large");
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F]/;

/** The parser gives no name where an empty one was sent, whatever its types say. */
function nameOf({ filename }: { readonly filename: string | undefined }): string {
  if (filename === undefined || filename === "") throw badRequest("file: expected a file name, received an empty one");
  if (CONTROL.test(filename)) throw badRequest("file: expected a file name without control characters");
  return filename;
}

/** What the parser of forms says of bytes that are none has no status of its own. */
function refuseForm(error: unknown): never {
  const own = error instanceof ApiFailure || (error instanceof Error && "statusCode" in error);
  throw own ? error : badRequest("body: expected multipart/form-data, received something that is not");
}

function metadataOf(part: MultipartValue): unknown {
  return typeof part.value === "string" ? parseJson(part.value, "metadata") : part.value;
}

/** Checks a body against its declaration and gives what the handler takes. @throws ApiFailure 400 */
export function checkBody(raw: RawBody, spec: BodySpec | undefined): unknown {
  if (spec === undefined) return undefined;
  switch (spec.encoding) {
    case "multipart":
      if (raw.kind !== "multipart") throw wrongEncoding("multipart/form-data", raw);
      return { metadata: validateBody(spec.metadata, raw.metadata, "metadata"), files: raw.files };
    case "bundle-or-json":
      if (raw.kind === "bundle") return raw.bytes;
      return checkValue(raw, spec, { kind: "json", mediaType: `${spec.mediaType} or application/json` });
    case "form":
      return checkValue(raw, spec, { kind: "form", mediaType: "application/x-www-form-urlencoded" });
    case "json":
      return checkValue(raw, spec, { kind: raw.kind === "form" ? "form" : "json", mediaType: "application/json" });
    default:
      return spec satisfies never;
  }
}

function checkValue(
  raw: RawBody,
  spec: Exclude<BodySpec, { encoding: "multipart" }>,
  { kind, mediaType }: { readonly kind: "json" | "form"; readonly mediaType: string },
): unknown {
  if (raw.kind === "none") return validateBody(spec.schema, withoutBody(spec.schema), "body");
  if (raw.kind !== kind) throw wrongEncoding(mediaType, raw);
  return validateBody(spec.schema, raw.value, "body");
}

/** An absent body reads as an empty object, so that a refusal names the fields that are missing. */
function withoutBody(schema: z.ZodType): unknown {
  return schema instanceof z.ZodObject ? {} : undefined;
}

function wrongEncoding(expected: string, raw: RawBody): Error {
  const came = raw.kind === "other" ? raw.contentType || "no content type" : raw.kind;
  return badRequest(`content-type: expected ${expected}, received ${came.slice(0, 80)}`);
}

/** What the request log shows of a body (shown.ts). */
export function bodySummary(raw: RawBody, spec: BodySpec | undefined): unknown {
  switch (raw.kind) {
    case "none":
      return undefined;
    case "json":
    case "form":
      return summaryOf(spec, raw.value);
    case "bundle":
      return { bundle: fileSummary(raw.bytes) };
    case "multipart":
      return {
        metadata: summaryOf(spec, raw.metadata),
        files: filesSummary(raw.files),
      };
    case "other":
      return { contentType: raw.contentType, bytes: raw.bytes };
    default:
      return raw satisfies never;
  }
}

function summaryOf(spec: BodySpec | undefined, value: unknown): unknown {
  const schema = spec?.encoding === "multipart" ? spec.metadata : spec?.schema;
  return shown(schema, value);
}

const MOST_FILES = 100;

function filesSummary(files: readonly StoredFile[]): readonly unknown[] {
  const first = files.slice(0, MOST_FILES).map(({ path, content }) => ({ path, ...fileSummary(content) }));
  return first.length === files.length ? first : [...first, omitted(files.length - first.length)];
}

function fileSummary(content: Uint8Array): { readonly bytes: number; readonly sha256: string } {
  return { bytes: content.length, sha256: sha256(content) };
}
