import { z } from "zod";
import { BRANCH_STATUSES, ORGANIZATION_PLANS, PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { faultRuleSchema } from "../http/faults.ts";
import { membersSchema, quotasSchema, seedSchema, settingsChangeSchema } from "../state/seed.ts";
import { settingsSchema } from "../state/settings.ts";
import { infrastructureCalls } from "./infrastructure.ts";
import { actionCalls } from "./actions.ts";
import { jitCalls } from "./jit.ts";
import { oauthCalls } from "./oauth.ts";
import { logDrainView } from "./log-drain-view.ts";
import { thirdPartyAuthCalls } from "./third-party-auth.ts";
import { call, type ControlCall, done, type Implementations, nothing } from "./call.ts";
import { hostingCalls } from "./hosting.ts";
import { snippetCalls } from "./snippets.ts";

/**
 * The control calls of the emulator, each declared once: tests steer it with them. The HTTP routes (`POST /_emulator/<group>.<verb>`),
 * the in-process control and the client follow from this table. None of it exists on the real service.
 */

const moment = z.object({ now: z.string(), nowMs: z.number() });
const projectStatus = z.enum(PROJECT_STATUSES);
const branchStatus = z.enum(BRANCH_STATUSES);

const logEntry = z.object({
  sequence: z.number(),
  at: z.string(),
  operation: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  query: z.unknown(),
  body: z.unknown().optional(),
  identity: z.string(),
  scope: z.string().nullable(),
  status: z.number().nullable(),
  fault: z.string().nullable(),
});

const fileView = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });
const functionView = z.object({
  slug: z.string(),
  name: z.string(),
  version: z.number(),
  verifyJwt: z.boolean(),
  entrypointPath: z.string().optional(),
  importMapPath: z.string().optional(),
  staticPatterns: z.array(z.string()),
  sha256: z.string().optional(),
  files: z.array(fileView),
});
const projectView = z.object({
  ref: z.string(),
  name: z.string(),
  organization: z.string(),
  region: z.string(),
  instanceSize: z.string(),
  status: projectStatus,
  held: z.boolean(),
  branchOf: z.string().optional(),
  /** lower-case hex SHA-256 of the password, and how often it was set after the creation */
  databasePassword: z.object({ digest: z.string(), changes: z.number() }),
  dataApi: z.boolean(),
  pitr: z.boolean(),
  softBranchDeletion: z.boolean(),
  functions: z.array(functionView),
  secrets: z.array(z.object({ name: z.string(), digest: z.string(), platform: z.boolean() })),
  logDrains: z.array(logDrainView),
});
const branchView = z.object({
  id: z.string(),
  name: z.string(),
  projectRef: z.string(),
  parentRef: z.string(),
  isDefault: z.boolean(),
  persistent: z.boolean(),
  status: branchStatus,
  held: z.boolean(),
});
const stateView = z.object({
  organizations: z.array(z.object({ id: z.string(), slug: z.string(), name: z.string(), plan: z.string() })),
  users: z.array(z.object({ id: z.string(), username: z.string() })),
  projects: z.array(projectView),
  branches: z.array(branchView),
});
export type StateView = z.output<typeof stateView>;
export type ProjectView = z.output<typeof projectView>;

export const controlCalls = {
  time: {
    read: call({ summary: "The emulator's time", input: nothing, output: moment }),
    advance: call({
      summary: "Let time pass at once: lives go on, limit windows end, delays elapse",
      input: z.strictObject({ ms: z.number().min(0) }),
      output: moment,
    }),
  },
  faults: {
    add: call({ summary: "Order a fault", input: faultRuleSchema, output: z.object({ id: z.number() }) }),
    list: call({
      summary: "Faults that were ordered, with how often they hit",
      input: nothing,
      output: z.array(z.object({ id: z.number(), hits: z.number(), rule: faultRuleSchema })),
    }),
    remove: call({
      summary: "Take a fault back",
      input: z.strictObject({ id: z.number() }),
      output: z.object({ removed: z.boolean() }),
    }),
    clear: call({ summary: "Take all faults back", input: nothing, output: done }),
  },
  log: {
    read: call({
      summary: "Requests that arrived, oldest first; bodies without secret values",
      input: z.strictObject({
        operation: z.string().optional(),
        /** only later ones */
        after: z.number().int().min(0).optional(),
        status: z.number().int().optional(),
      }),
      output: z.object({ entries: z.array(logEntry), last: z.number() }),
    }),
    summary: call({
      summary: "How many requests, by operation and by status",
      input: nothing,
      output: z.object({
        total: z.number(),
        byOperation: z.record(z.string(), z.number()),
        byStatus: z.record(z.string(), z.number()),
      }),
    }),
    clear: call({ summary: "Forget the requests so far", input: nothing, output: done }),
  },
  state: {
    read: call({
      summary: "Everything the emulator remembers, without secret values",
      input: nothing,
      output: stateView,
    }),
    seed: call({ summary: "Add what a seed describes", input: seedSchema, output: done }),
    reset: call({
      summary: "Back to the state of the start; faults, log and limits too",
      input: nothing,
      output: done,
    }),
  },
  projects: {
    hold: call({
      summary:
        "Stop a project in a status that it has or is yet to reach, for ever; also one that is yet to be created, by name",
      input: z.strictObject({ refOrName: z.string(), at: projectStatus }),
      output: done,
    }),
    release: call({
      summary: "Let a held project go on",
      input: z.strictObject({ refOrName: z.string() }),
      output: done,
    }),
    force: call({
      summary: "Put a project into a status, in which it stays",
      input: z.strictObject({ ref: z.string(), status: projectStatus }),
      output: done,
    }),
    patch: call({
      summary: "Switch the Data API, point-in-time recovery and soft deletion of branches, whatever the plan",
      input: z.strictObject({
        ref: z.string(),
        dataApi: z.boolean().optional(),
        pitr: z.boolean().optional(),
        softBranchDeletion: z.boolean().optional(),
      }),
      output: done,
    }),
    remove: call({
      summary: "Make a project vanish, as if somebody had deleted it in the dashboard",
      input: z.strictObject({ ref: z.string() }),
      output: done,
    }),
  },
  branches: {
    hold: call({
      summary: "Stop a branch in a status that it has or is yet to reach; also one that is yet to be created, by name",
      input: z.strictObject({ refOrName: z.string(), at: branchStatus }),
      output: done,
    }),
    release: call({
      summary: "Let a held branch go on",
      input: z.strictObject({ refOrName: z.string() }),
      output: done,
    }),
    force: call({
      summary: "Put a branch into a status, in which it stays",
      input: z.strictObject({ refOrName: z.string(), status: branchStatus }),
      output: done,
    }),
  },
  functions: {
    failBundle: call({
      summary: "Let deploys of a function fail in bundling",
      input: z.strictObject({
        slug: z.string(),
        /** default: in every project */
        ref: z.string().optional(),
        /** null: every time */
        count: z.number().int().min(1).nullable().default(1),
        message: z.string().default("the module graph could not be built"),
      }),
      output: done,
    }),
    mendBundles: call({ summary: "Let every function bundle again", input: nothing, output: done }),
  },
  ...infrastructureCalls,
  actions: actionCalls,
  jit: jitCalls,
  oauth: oauthCalls,
  thirdPartyAuth: thirdPartyAuthCalls,
  tokens: {
    add: call({
      summary: "Make a token known, with its user when there is none of that name",
      input: z.strictObject({
        token: z.string().min(1),
        user: z.string(),
        permissions: z.array(z.string()).optional(),
      }),
      output: done,
    }),
    revoke: call({
      summary: "Make a token unknown",
      input: z.strictObject({ token: z.string() }),
      output: z.object({ revoked: z.boolean() }),
    }),
  },
  organizations: {
    patch: call({
      summary: "Change plan, quotas or members of an organization",
      input: z.strictObject({
        slug: z.string(),
        plan: z.enum(ORGANIZATION_PLANS).optional(),
        quotas: quotasSchema.optional(),
        members: membersSchema.optional(),
      }),
      output: done,
    }),
  },
  settings: {
    read: call({ summary: "How the emulator behaves", input: nothing, output: settingsSchema }),
    patch: call({ summary: "Change how the emulator behaves", input: settingsChangeSchema, output: settingsSchema }),
  },
  ...hostingCalls,
  ...snippetCalls,
  limits: {
    reset: call({ summary: "Begin every limit window anew", input: nothing, output: done }),
  },
} as const;

export type ControlCalls = typeof controlCalls;

/** The same table for those who walk through it. */
const groups: Readonly<Record<string, Readonly<Record<string, ControlCall>>>> = controlCalls;

type Invocation<C> = C extends { input: infer I extends z.ZodType; output: infer O extends z.ZodType }
  ? (
      ...input: Record<string, never> extends z.input<I> ? [input?: z.input<I>] : [input: z.input<I>]
    ) => Promise<z.output<O>>
  : never;

/** The control of a running emulator: `control.time.advance({ ms: 60_000 })`. The same in process and over HTTP. */
export type Control = {
  readonly [G in keyof ControlCalls]: { readonly [V in keyof ControlCalls[G]]: Invocation<ControlCalls[G][V]> };
};

export type ControlHandlers = Implementations<ControlCalls>;

/** Path prefix of the control calls; nothing of the Management API begins so. */
export const CONTROL_PATH = "/_emulator";

/** Every call by its name `group.verb`. */
export const callsByName: ReadonlyMap<string, ControlCall> = new Map(
  Object.entries(groups).flatMap(([group, verbs]) =>
    Object.entries(verbs).map(([verb, declared]): [string, ControlCall] => [`${group}.${verb}`, declared]),
  ),
);

/** A control whose calls go where `invoke` takes them. Outputs are checked against the table. */
export function controlBy(invoke: (name: string, input: unknown) => Promise<unknown>): Control {
  const made = Object.entries(groups).map(([group, verbs]) => [
    group,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, declared]) => [
        verb,
        async (input: unknown = {}) => declared.output.parse(await invoke(`${group}.${verb}`, input)),
      ]),
    ),
  ]);
  return Object.fromEntries(made) as Control; // built from the same table that the type is derived from
}
