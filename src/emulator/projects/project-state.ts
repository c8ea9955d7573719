import { z } from "zod";
import { BRANCH_INSTANCE_SIZES, PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { lifeSchema } from "../state/life.ts";
import { releaseSchema } from "./upgrade-state.ts";

export type ProjectStatus = (typeof PROJECT_STATUSES)[number];

/** A project, also one that a branch has of its own, under its ref. */
const projectRecord = z
  .strictObject({
    ref: z.string(),
    /** the integer `id` of ProjectRef */
    number: z.number(),
    name: z.string(),
    organizationSlug: z.string(),
    region: z.string(),
    instanceSize: z.enum(BRANCH_INSTANCE_SIZES),
    createdAtMs: z.number(),
    /** what its database runs, unless an upgrade came to its end: ask releaseOf */
    release: releaseSchema,
    /** what it runs from a time on, once it is UPGRADING no more */
    nextRelease: z.strictObject({ fromMs: z.number(), release: releaseSchema }).readonly().optional(),
    life: lifeSchema(PROJECT_STATUSES),
    /** when the project, deleted before, vanishes from every list */
    goneAtMs: z.number().optional(),
    /** project that this one is a branch of */
    branchOf: z.string().optional(),
    /** of the password no more than its digest; `changes` counts how often one was set */
    databasePassword: z.strictObject({ digest: z.string(), changes: z.number() }).readonly(),
    softBranchDeletion: z.boolean(),
  })
  .readonly();
export type ProjectRecord = z.output<typeof projectRecord>;
export const projects = { name: "projects", row: projectRecord } as const;
