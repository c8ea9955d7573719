import type { Mutant } from "../mutant.ts";

const DEFAULTS = { project: "unit", files: ["src/resources/defaults.test.ts"] } as const;
const CONNECTION = { project: "loopback", files: ["src/controllers/connection/connection.loopback.test.ts"] } as const;
const BELIEVE_GONE = { project: "loopback", files: ["src/controllers/shared/believe-gone.loopback.test.ts"] } as const;
const HOLD = "src/controllers/connection/hold.ts";

/** engine.md §5: what a deletion is where nothing is said of it, and where there is nothing to delete. Part of the section of the bound. */
export const deletionDefaults: readonly Mutant[] = [
  {
    name: "project-deleted-by-default",
    promise: "Retain is the default for what holds data: a Project",
    file: "src/resources/project/spec.ts",
    find: '.default("Retain")',
    replace: '.default("Delete")',
    killer: DEFAULTS,
  },
  ...(["edge-function", "secret"] as const).map((kind) => ({
    name: `${kind}-kept-by-default`,
    promise: `Delete for the rest: ${kind}`,
    file: `src/resources/${kind}/spec.ts`,
    find: '.default("Delete")',
    replace: '.default("Retain")',
    killer: DEFAULTS,
  })),
  {
    name: "preview-branch-kept-by-default",
    promise: "Delete for the rest: a branch that is not persistent",
    file: "src/controllers/shared/branch-retention.ts",
    find: 'lasts ? "Retain" : "Delete"',
    replace: 'lasts || deletionPolicy === undefined ? "Retain" : "Delete"',
    killer: { project: "unit", files: ["src/controllers/shared/branch-retention.test.ts"] },
  },
  {
    name: "namesake-adopted-by-default",
    promise: "a foreign one of that name is Conflict under adoptionPolicy: Never, the default",
    file: "src/resources/policies.ts",
    find: '.default("Never"),\n  provisioningTimeout',
    replace: '.default("IfNameMatches"),\n  provisioningTimeout',
    killer: DEFAULTS,
  },
  {
    name: "bound-of-half-an-hour",
    promise: "the bound, deletionTimeout: default 15 min",
    file: "src/resources/policies.ts",
    find: 'export const DEFAULT_DELETION_TIMEOUT = "15m";',
    replace: 'export const DEFAULT_DELETION_TIMEOUT = "30m";',
    killer: DEFAULTS,
  },
  {
    name: "missing-project-is-not-done",
    promise: "a missing remote is done: a project",
    file: "src/controllers/project/finalize.ts",
    find: '  requireAbsence(run, { kind: "project", ref }, "letGo");\n  return "gone";',
    replace: '  throw waiting("Deleting", "the project is not found", 60_000);',
    killer: { ...BELIEVE_GONE, only: "is done" },
  },
  {
    name: "missing-child-is-not-done",
    promise: "a missing remote is done: what lives in a project that is gone",
    file: "src/controllers/shared/believe-gone.ts",
    find: '  requireAbsence(run, target.sought, "letGo");',
    replace: '  await blocked(run, target, { lacksCredential: false, why: "it is not found" });',
    killer: { ...BELIEVE_GONE, only: "is done" },
  },
  ...(["project/finalize", "branch/remove"] as const).map((file) => ({
    name: `deleted-by-somebody-fails-in-${file.replace("/", "-")}`,
    promise: "a missing remote is done: what goes between the look and the request for it is no failure",
    file: `src/controllers/${file}.ts`,
    find: 'if (!isApiError(error, "GONE")) throw explain(',
    replace: "throw explain(",
    killer: { ...BELIEVE_GONE, only: "fails nothing" },
  })),
  {
    name: "no-bound-without-a-credential",
    promise: "the bound holds without a credential, too",
    file: "src/controllers/shared/deletion.ts",
    find: "const bounded = without || (await",
    replace: "const bounded = (await",
    killer: { project: "loopback", files: ["src/controllers/shared/deletion.loopback.test.ts"] },
  },
  {
    name: "credential-held-though-nobody-wants-it-held",
    promise: "switch credentialProtection: off, a Secret under deletion is let go",
    file: HOLD,
    find: "!held.credentialProtection || ",
    replace: "",
    killer: CONNECTION,
  },
  {
    name: "credential-guarded-though-nobody-wants-it-guarded",
    promise: "switch credentialProtection: off, no Secret carries our finalizer",
    file: "src/controllers/connection/reconcile.ts",
    find: "if (!parts.credentialProtection) await releaseSecret(environment, secret, signal);\n    else if (inUse)",
    replace: "if (inUse)",
    killer: CONNECTION,
  },
  {
    name: "applied-to-what-goes-unwarned",
    promise: "meanwhile the Connection says that what is applied to the Secret now is lost",
    file: HOLD,
    find: ", and what is applied to it now is lost: create",
    replace: ": create",
    killer: CONNECTION,
  },
];
