import { z } from "zod";
import { blank, choice, duration, text } from "../fields.ts";
import { outputFields } from "../outputs/spec.ts";
import { branchSizes, postgresEngines, regionCodes, releaseChannels } from "../platform.ts";
import { commonFields, deletionPolicyField } from "../policies.ts";
import { connectionOnlyForUnmanaged, projectParentFields } from "../references.ts";
import type { Rule } from "../rules.ts";
import { immutable, ruled } from "../rules.ts";
import { notifyUrl } from "./notify-url.ts";
import { recoveryNeedsSize, resizeNeedsSize, resizePolicy } from "../settings/addons.ts";
import { domainRules } from "../settings/domains.ts";
import { settingsFields } from "../settings/settings.ts";

/** Spec of a Branch: a preview branch of a project. */

interface Lifetime {
  readonly persistent?: boolean | undefined;
  readonly ttl?: string | undefined;
}

const persistentOrTtl: Rule<Lifetime> = {
  cel: "!has(self.ttl) || !has(self.persistent) || !self.persistent",
  message: "a persistent branch does not expire: remove ttl, or set persistent: false",
  fieldPath: ".ttl",
  holds: ({ persistent, ttl }) => ttl === undefined || persistent !== true,
};

const fixed = "is fixed when the branch is created: put the old value back, or delete this Branch and create another";

const branchSpecFields = z.object({
  ...projectParentFields,
  name: text(
    "Name of the branch, unique in its project; metadata.name when omitted. A change renames the branch in place.",
    { max: 256 },
  ).optional(),
  gitBranch: text("Git branch that the platform follows for this branch.", {
    max: 255,
    pattern: `^[^${blank}~^:?*\\[\\\\]+$`,
    message: "write the name of a Git branch, such as feature/login, without blanks or any of ~ ^ : ? * [ \\",
  }).optional(),
  persistent: z
    .boolean()
    .describe(
      "Whether the branch is kept until it is deleted by hand. When omitted it is left as it is; a new branch is then not persistent.",
    )
    .optional(),
  ttl: duration(
    "How long the branch lives: counted from when this object made it, took it over or had it restored, or from when this very ttl was declared, whichever " +
      "is latest. Then the remote branch is deleted and this object stays, with the condition Expired, until its spec is changed.",
    { atLeast: "1m", atMost: "8760h" },
  ).optional(),
  withData: z
    .boolean()
    .describe(
      "Whether the branch is created with the data of its project; needs point-in-time recovery. Fixed at creation: a branch that is taken over keeps its own, and its event Adopted tells of a difference that can be read.",
    )
    .optional(),
  region: z
    .object({ code: choice("The region.", regionCodes) })
    .describe(
      "Where the branch is created; that of its project when omitted. Fixed at creation, and not compared with a branch that is taken over.",
    )
    .optional(),
  postgresEngine: choice(
    "Engine of the branch's database; that of its project when omitted. Fixed at creation: a branch that is taken over keeps its own, and its event Adopted tells of a difference that can be read.",
    postgresEngines,
  ).optional(),
  releaseChannel: choice(
    "Channel of the database's release; that of its project when omitted. The platform refuses what the organization does not have. Fixed at creation: a branch that is taken over keeps its own, and its event Adopted tells of a difference that can be read.",
    releaseChannels,
  ).optional(),
  instanceSize: choice(
    "Compute size. A change resizes the branch in place, which restarts it. No request leads to nano or pico: only a branch that is created so has it.",
    branchSizes,
  ).optional(),
  resizePolicy,
  notifyUrl: notifyUrl.optional(),
  softDelete: z
    .boolean()
    .describe(
      "Whether the platform keeps a deleted branch for an hour, in which it can be restored. Holds where soft deletion is on for the project; elsewhere, and " +
        "by default, a branch is deleted at once.",
    )
    .optional(),
  ...outputFields,
  ...settingsFields,
  ...commonFields,
  deletionPolicy: deletionPolicyField(
    "What happens to the remote branch when this object is deleted. When omitted: Retain for a persistent branch, Delete for any other. " +
      "If the Project is kept, or released, its branches are kept too.",
  ).optional(),
});

export const branchSpec = ruled(branchSpecFields, [
  immutable("projectRef", "projectRef is fixed: delete this Branch and create it again for the other project"),
  immutable("withData", `withData ${fixed}`),
  immutable("region", `region ${fixed}`),
  immutable("postgresEngine", `postgresEngine ${fixed}`),
  immutable("releaseChannel", `releaseChannel ${fixed}`),
  persistentOrTtl,
  resizeNeedsSize,
  recoveryNeedsSize,
  ...domainRules,
  connectionOnlyForUnmanaged,
]);
export type BranchSpec = z.output<typeof branchSpec>;
