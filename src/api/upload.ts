import { z } from "zod";
import type { UploadSource } from "./contract/operation.ts";

// oxlint-disable-next-line no-control-regex -- control characters are what it refuses
const PLAIN_TEXT = /^[^\u0000-\u001F\u007F]+$/;

/** The input of a multipart body: metadata as the contract declares it, and the files. */
export function uploadSchema<M extends z.ZodType>(
  metadata: M,
): z.ZodObject<{ metadata: M; files: z.ZodArray<typeof uploadFileSchema> }> {
  return z.strictObject({ metadata, files: z.array(uploadFileSchema) });
}

const CONTENT = "content is a string, a Uint8Array, or what has a size and a stream, as a Blob";

const uploadFileSchema = z.strictObject({
  path: z.string().regex(PLAIN_TEXT, "a path has at least one character and no control characters"),
  content: z.union([z.string(), z.instanceof(Uint8Array), z.custom<UploadSource>(isUploadSource)], CONTENT),
});

export function isUploadSource(value: unknown): value is UploadSource {
  if (typeof value !== "object" || value === null || !("size" in value) || !("stream" in value)) return false;
  return Number.isSafeInteger(value.size) && Number(value.size) >= 0 && typeof value.stream === "function";
}

/** Bytes that are there already, in pieces: what writes them copies a piece at a time, never the whole. */
export function sourceOf(content: string | Uint8Array | UploadSource): UploadSource {
  if (isUploadSource(content)) return content;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { size: bytes.length, stream: () => pieces(bytes) };
}

const PIECE_BYTES = 64 * 1024;

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
