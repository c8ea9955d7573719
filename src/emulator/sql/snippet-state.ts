import { z } from "zod";

/** SQL snippets: what users saved in the SQL editor. No operation writes them; the seed and a control call do. */

const snippetRecord = z
  .strictObject({
    id: z.uuid(),
    projectRef: z.string(),
    /** user id */
    ownerId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    visibility: z.enum(["user", "project"]),
    favorite: z.boolean(),
    sql: z.string(),
    insertedAtMs: z.number(),
    updatedAtMs: z.number(),
  })
  .readonly();
export type SnippetRecord = z.output<typeof snippetRecord>;
export const snippets = { name: "snippets", row: snippetRecord } as const;

export const snippetSeedSchema = z.strictObject({
  /** default: made up */
  id: z.uuid().optional(),
  /** ref or name of a project */
  project: z.string().min(1),
  /** username; default: an owner of the organization */
  owner: z.string().min(1).optional(),
  name: z.string().min(1),
  description: z.string().optional(),
  /** `user`: seen by its owner alone */
  visibility: z.enum(["user", "project"]).default("user"),
  favorite: z.boolean().default(false),
  sql: z.string(),
});
export type SnippetSeed = z.output<typeof snippetSeedSchema>;
