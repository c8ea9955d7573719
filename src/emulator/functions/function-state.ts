import { z } from "zod";
import { FUNCTION_STATUSES } from "../../api/contract/fields.ts";

/** Functions of a project, each with what was uploaded last. */

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, "expected bytes");
const storedFile = z.strictObject({ path: z.string(), content: bytes }).readonly();
export type StoredFile = z.output<typeof storedFile>;

/** What was uploaded last: files, or a bundle that somebody else made. */
const bundle = z
  .strictObject({
    files: z.array(storedFile).readonly(),
    entrypointPath: z.string().optional(),
    /** lower-case hex SHA-256 over the whole upload */
    sha256: z.string(),
  })
  .readonly();
export type BundleRecord = z.output<typeof bundle>;

/** Under the function's slug. */
const functionRecord = z
  .strictObject({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    status: z.enum(FUNCTION_STATUSES),
    /** a deploy once went one beyond the last that can be said */
    version: z.number().transform((saved) => Math.min(saved, Number.MAX_SAFE_INTEGER)),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    verifyJwt: z.boolean(),
    importMap: z.boolean(),
    entrypointPath: z.string().optional(),
    importMapPath: z.string().optional(),
    staticPatterns: z.array(z.string()).readonly(),
    bundle: bundle.optional(),
    /** as a bulk update or one of the old forms said it; undefined, which was saved as null before: as the bundle has it */
    declaredSha256: z
      .string()
      .nullish()
      .transform((said) => said ?? undefined),
  })
  .readonly();
export type FunctionRecord = z.output<typeof functionRecord>;
export const functions = { name: "functions", row: functionRecord } as const;
