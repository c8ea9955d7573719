import type { Section } from "../mutant.ts";

const PROJECT = "src/controllers/project/reconcile.ts";
const BRANCH = "src/controllers/branch/reconcile.ts";
const UNWELL_TEST = { project: "loopback", files: ["src/controllers/outputs/unwell.loopback.test.ts"] } as const;

/** Outputs of what is up and unwell: programs connect to it all the same (engine.md §4, cases.md K-07 and K-08). */
export const unwell: Section = {
  sign: "§4",
  name: "outputs of what is unwell",
  mutants: [
    {
      name: "outputs-of-an-unwell-project",
      promise: "a password that is rotated while a service is unwell is in the output in the run that sets it",
      file: PROJECT,
      find: "await configure(run, context, { remote, drift });\n  return keepOutputs(run, context, remote);",
      replace: "await configure(run, context, { remote, drift });\n  return undefined;",
      killer: { ...UNWELL_TEST, only: "a service is unwell" },
    },
    {
      name: "outputs-of-an-unwell-branch",
      promise: "a branch with a service that is unwell has its outputs back",
      file: BRANCH,
      find: "await configure(run, context, { remote, drift });\n  return keepOutputs(run, context, remote);",
      replace: "await configure(run, context, { remote, drift });\n  return undefined;",
      killer: { ...UNWELL_TEST, only: "with a service that is unwell" },
    },
    {
      name: "outputs-where-no-health-is-told",
      promise: "whatever the platform says of its services, a password that was set is in the output in the same run",
      file: PROJECT,
      find: "...failures, await keepOutputs(run, context, remote)], undefined);",
      replace: "...failures], undefined);",
      killer: { ...UNWELL_TEST, only: "nobody can say how the services do" },
    },
    {
      name: "outputs-of-a-branch-where-no-health-is-told",
      promise: "a branch of which the platform tells no health has its outputs back",
      file: BRANCH,
      find: "...failures, await keepOutputs(run, context, remote)], untilEndMs);",
      replace: "...failures], untilEndMs);",
      killer: { ...UNWELL_TEST, only: "of which nobody can say" },
    },
    {
      name: "outputs-of-what-is-called-unwell",
      promise: "a project that the platform calls unwell serves, and takes passwords: its outputs are kept",
      file: "src/controllers/project/outputs.ts",
      find: "if (!isUp(state)) {",
      replace: 'if (state !== "ACTIVE_HEALTHY") {',
      killer: { ...UNWELL_TEST, only: "calls the project unwell" },
    },
    {
      name: "recovery-timed-anew",
      promise: "since when something is unwell is not forgotten over its outputs",
      file: "src/controllers/outputs/publish.ts",
      find: "place.isUnwell ? unlessPassing(failure, run.signal) : awaiting(run, object, ends)",
      replace: "awaiting(run, object, ends)",
      killer: { ...UNWELL_TEST, only: "is Stalled once its time is up" },
    },
    {
      name: "outputs-held-by-what-is-unwell",
      promise: "what is known of what is unwell is in an output that is there, whatever cannot be told",
      file: "src/controllers/outputs/plan.ts",
      find: 'kind === "awaited" || (kind === "delayed" && !isThere)',
      replace: 'kind !== "withheld"',
      killer: { ...UNWELL_TEST, only: "what is known is written, what is not stays" },
    },
    {
      name: "output-begun-with-half",
      promise: "no output begins with half of it, also of what is unwell",
      file: "src/controllers/outputs/plan.ts",
      find: 'kind === "awaited" || (kind === "delayed" && !isThere)',
      replace: 'kind === "awaited"',
      killer: { ...UNWELL_TEST, only: "no output begins with half" },
    },
    {
      name: "unread-ends-the-outputs-of-what-is-unwell",
      promise: "one fact that cannot be read keeps nothing else out of the outputs of what is unwell",
      file: "src/controllers/outputs/publish.ts",
      find: "if (failure !== undefined && !place.isUnwell) {",
      replace: "if (failure !== undefined) {",
      killer: { ...UNWELL_TEST, only: "what is known is written, what is not stays" },
    },
    {
      name: "delayed-untold",
      promise: "what of an output is not up to date is told beside that something is unwell",
      file: "src/controllers/outputs/publish.ts",
      find: 'entry.missing.kind !== "awaited"',
      replace: 'entry.missing.kind === "withheld"',
      killer: { ...UNWELL_TEST, only: "what is known is written, what is not stays" },
    },
    {
      name: "change-forgotten-over-a-delay",
      promise: "a text that was kept over a delay is void as ever once it may not be read any more",
      file: "src/controllers/outputs/write.ts",
      find: "!changed.has(source) || !delayedSources(wanted).has(source)",
      replace: "source !== undefined",
      killer: { ...UNWELL_TEST, only: "what stays goes" },
    },
    {
      name: "keys-polled-for-health",
      promise: "what is unwell is polled for its health, and its keys and pooler are not asked for each time",
      file: "src/controllers/outputs/read.ts",
      find: 'lane === "progress" ? "drift" : lane',
      replace: "lane",
      killer: { ...UNWELL_TEST, only: "is polled" },
    },
    {
      name: "passing-failure-over-unwell",
      promise: "that something is unwell is told, whatever fails over its outputs and passes by itself",
      file: "src/controllers/shared/attempt.ts",
      find: 'return kind === "transient" || kind === "rateLimited" ? undefined : failure;',
      replace: "return failure;",
      killer: { ...UNWELL_TEST, only: "is told of as unwell alone" },
    },
  ],
};
