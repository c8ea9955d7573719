import { z } from "zod";

// oxlint-disable-next-line no-control-regex -- control characters are what it refuses
const PLAIN_TEXT = /^[^\u0000-\u001F\u007F]+$/;

/** The input of a multipart body: metadata as the contract declares it, and the files. */
export function uploadSchema<M extends z.ZodType>(
  metadata: M,
): z.ZodObject<{ metadata: M; files: z.ZodArray<typeof uploadFileSchema> }> {
  return z.strictObject({ metadata, files: z.array(uploadFileSchema) });
}

const uploadFileSchema = z.strictObject({
  path: z.string().regex(PLAIN_TEXT, "a path has at least one character and no control characters"),
  content: z.union([z.string(), z.instanceof(Uint8Array)]),
});
