import type { Section } from "../mutant.ts";
import { deletionDefaults } from "./deletion-defaults.ts";

const TIMES = "src/controllers/shared/deletion-times.ts";
const HOLD = "src/controllers/connection/hold.ts";
const OWN_TOKEN_TEST = "src/controllers/connection/own-token.loopback.test.ts";
const CONNECTION_TEST = "src/controllers/connection/connection.loopback.test.ts";
const READABLE = "src/controllers/shared/readable.ts";
const DELETION_TEST = "src/controllers/shared/deletion.loopback.test.ts";
const BARRED = "src/controllers/shared/barred.loopback.test.ts";
const AFTER_ABSENCE = "src/controllers/deletion-after-absence.loopback.test.ts";
const RELEASES = "src/controllers/shared/releases.ts";
const ACCESS_LOST = "src/controllers/access-lost.loopback.test.ts";

const unlisted = (only: string) =>
  ({ project: "loopback", files: ["src/controllers/shared/unlisted.loopback.test.ts"], only }) as const;

/** engine.md §5: the bound, for how long the credential is held, and what is believed to be gone. */
export const deletionBound: Section = {
  sign: "§5",
  name: "deletion-bound",
  mutants: [
    ...deletionDefaults,
    {
      name: "unlisted-held-for-ever",
      promise: "what cannot be listed where it is told what stays goes at the bound all the same",
      file: RELEASES,
      find: "if (leftMs <= 0 || isForGood(error)) return",
      replace: "if (isForGood(error)) return",
      killer: unlisted("at the bound"),
    },
    {
      name: "unlisted-waits-for-what-never-comes",
      promise: "nothing waits for a line in a namespace that takes none ever again",
      file: RELEASES,
      find: "if (leftMs <= 0 || isForGood(error)) return",
      replace: "if (leftMs <= 0) return",
      killer: unlisted("own namespace"),
    },
    {
      name: "unlisted-untold",
      promise: "that what stays could not be listed is told by a warning",
      file: RELEASES,
      find: 'failure === "" ? "Normal" : "Warning"',
      replace: 'failure === "" ? "Normal" : "Normal"',
      killer: unlisted("at the bound"),
    },
    {
      name: "ready-while-it-is-deleted",
      promise: "what is being deleted does not go on calling itself Ready, whatever keeps it from ending",
      file: "src/controllers/shared/pipeline.ts",
      find: "deletionTimestamp === undefined ? generation : undefined",
      replace: "generation",
      killer: unlisted("says that it is Ready"),
    },
    {
      name: "bound-passed-while-nobody-tried",
      promise: "nothing is let go that no process has tried for two minutes",
      file: TIMES,
      find: "Math.min(timeoutMs, LEAST_TRIED_MS) - triedMs",
      replace: "Math.min(0, LEAST_TRIED_MS - triedMs)",
      killer: { project: "loopback", files: [AFTER_ABSENCE], only: "is tried again" },
    },
    {
      name: "released-before-the-connection-is-open",
      promise: "a process that has just started opens the connection before it judges it",
      file: "src/controllers/shared/deletion.ts",
      find: "if (mayOpen && leftMs(run, target) > 0) {",
      replace: "if (mayOpen && deletingForMs(run) < 900_000) {",
      killer: { project: "loopback", files: [DELETION_TEST], only: "is not yet" },
    },
    {
      name: "bound-by-the-own-clock",
      promise: "how long an object is being deleted is told by the apiserver's clock",
      file: TIMES,
      find: "(this.#serverNow() ?? this.#clock.now())",
      replace: "this.#clock.now()",
      killer: { project: "loopback", files: [AFTER_ABSENCE], only: "by the apiserver's clock" },
    },
    {
      name: "credential-let-go-while-nobody-tried",
      promise: "the credential is held for as long as a deletion may go on",
      file: HOLD,
      find: "isDoomed ? deletions.leftMs(metadata, timeout) :",
      replace: "isDoomed ? durationMs(timeout) - deletions.elapsedMs(metadata) :",
      killer: { project: "loopback", files: [CONNECTION_TEST] },
    },
    {
      name: "replaced-credential-held",
      promise: "after 30 s (someone is replacing it)",
      file: HOLD,
      find: "  if (replacing && !untaken && secretMs >= REPLACING_MS) return false;\n",
      replace: "",
      killer: { project: "loopback", files: [CONNECTION_TEST] },
    },
    {
      name: "credential-held-past-the-bound",
      promise: "or at the bound",
      file: HOLD,
      find: "isDoomed ? deletions.leftMs(metadata, timeout) :",
      replace: "isDoomed ? 1 :",
      killer: { project: "loopback", files: [CONNECTION_TEST] },
    },
    {
      name: "credential-let-go-untaken",
      promise: "after 30 s once the value is in memory: not where opening the connection has just failed",
      file: HOLD,
      find: "  if (replacing && !untaken && secretMs",
      replace: "  if (replacing && secretMs",
      killer: {
        project: "loopback",
        files: [AFTER_ABSENCE],
        only: "until the platform has let the token in",
      },
    },
    {
      name: "kept-out-once-let-go",
      promise: "the bound holds without a credential: not where one look of many looks as if there were none",
      file: "src/controllers/shared/deletion.ts",
      find: "Math.max(leftMs(run, target), without ? leftToBelieveMs(run, target) : 0);",
      replace: "leftMs(run, target);",
      killer: { project: "loopback", files: [BARRED] },
    },
    {
      name: "let-in-unnoticed",
      promise: "the bound holds without a credential: looks that were let in between count",
      file: "src/controllers/shared/deletion.ts",
      find: "    if (!lacksCredential && wasLetIn(outcome)) run.environment.deletions.letIn(run.raw.metadata);\n",
      replace: "",
      killer: { project: "loopback", files: [BARRED] },
    },
    {
      name: "credential-let-go-untaken-in-any-order",
      promise:
        "nothing is lost with a Secret that was deleted while nobody was there, where the platform is down by then",
      file: HOLD,
      find: "  if (replacing && !untaken && secretMs",
      replace: "  if (replacing && secretMs",
      killer: { project: "loopback", files: ["test/deletion/orders.test.ts"], only: "when it starts" },
    },
    {
      name: "any-session-taken-for-the-secret-s",
      promise: "in memory is what the Secret holds now: not where the session has what was rotated since",
      file: HOLD,
      find: "if (before !== undefined && clients.isOf(view, credential, before.client)) return true;",
      replace: "if (before !== undefined) return true;",
      killer: {
        project: "loopback",
        files: ["src/controllers/connection/rotated-while-down.loopback.test.ts"],
        only: "past 30 s until it was let in|between two looks",
      },
    },
    {
      name: "refused-credential-let-go",
      promise:
        "a token that is not accepted is held to the bound: the platform may be wrong, and there is no other copy",
      file: HOLD,
      find: "    return isOfSecret(view, error);\n",
      replace: "    return error instanceof TerminalError;\n",
      killer: { project: "loopback", files: [AFTER_ABSENCE], only: "until the platform has let the token in" },
    },
    {
      name: "empty-credential-held",
      promise: "or where it holds none: who replaces it may be mending that",
      file: HOLD,
      find: "    return isOfSecret(view, error);\n",
      replace: "    return false;\n",
      killer: { project: "loopback", files: [CONNECTION_TEST], only: "while its value is not in memory" },
    },
    {
      name: "client-secret-let-go-for-half-a-token-file",
      promise: "a value that only goes with the operator's own token is held, whatever is wrong with the file of that",
      file: HOLD,
      find: 'kind !== "workloadIdentity" && cause',
      replace: "cause",
      killer: { project: "loopback", files: [OWN_TOKEN_TEST], only: "half written" },
    },
    {
      name: "client-secret-let-go-by-an-operator-without-a-token",
      promise: "a value that only goes with the operator's own token is held, also where the operator has none yet",
      file: "src/controllers/connection/secrets.ts",
      find: ', { cause: new CredentialError(message, { fault: "missing" }) }',
      replace: "",
      killer: { project: "loopback", files: [OWN_TOKEN_TEST], only: "the operator has none" },
    },
    {
      name: "branch-made-persistent-at-last-deleted",
      promise: "a branch that somebody made persistent since the last look is kept: what the platform says now counts",
      file: "src/controllers/branch/finalize.ts",
      find: "{ isDefault: branch.is_default, persistent: branch.persistent }",
      replace: "{ isDefault: false, persistent: false }",
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/retained.loopback.test.ts"],
        only: "right before its deletion",
      },
    },
    {
      name: "children-of-an-unreadable-branch-deleted",
      promise: "what lives in a Branch that cannot be read is kept rather than not",
      file: "src/controllers/shared/child-deletion.ts",
      find: '  if (!parsed.ok) return "keep";\n',
      replace: '  if (!parsed.ok) return "delete";\n',
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/child-deletion.loopback.test.ts"],
        only: "a Branch that cannot be read",
      },
    },
    {
      name: "child-believed-gone-without-access",
      promise: "missing is believed only while the same identity still reads the organization: of children too",
      file: READABLE,
      find: "    await organizations.get({ slug }, call);\n",
      replace: "",
      killer: { project: "loopback", files: [ACCESS_LOST], only: "waits for it" },
    },
    {
      name: "child-of-a-bare-ref-believed-gone-without-access",
      promise: "where nothing tells which organization it is, a token that reads none has lost access",
      file: READABLE,
      find: "all.length === 0 ?",
      replace: "all.length < 0 ?",
      killer: { project: "loopback", files: [ACCESS_LOST], only: "no object manages" },
    },
    {
      name: "gone-where-the-organization-is-forbidden",
      promise: "who is forbidden the organization may be forbidden the rest, and takes nothing for gone",
      file: READABLE,
      find: '    if (!isApiError(error, "GONE", "FORBIDDEN")) throw',
      replace: '    if (isApiError(error, "FORBIDDEN")) return undefined;\n    if (!isApiError(error, "GONE")) throw',
      killer: { project: "loopback", files: [ACCESS_LOST], only: "forbidden the organization" },
    },
    {
      name: "function-asked-after-by-its-organization",
      promise: "a function that is gone from a place that is there is gone",
      file: "src/controllers/edge-function/finalize.ts",
      find: "if (listed === undefined) return believeGone(",
      replace: "if (listed !== undefined) return believeGone(",
      killer: { project: "loopback", files: [ACCESS_LOST], only: "edgefunctions" },
    },
    {
      name: "definition-under-deletion-not-looked-at",
      promise: "a definition (CRD) under deletion counts for the objects of its kind as a Terminating namespace does",
      file: "src/controllers/shared/child-deletion.ts",
      find: "return kind !== undefined && (await environment.withdrawals.explains(kind.type, deletingForMs(run), { signal }));",
      replace: "return kind === undefined;",
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/child-deletion.loopback.test.ts"],
        only: "its definition goes",
      },
    },
    {
      name: "definition-of-before-the-deletion-believed",
      promise: "what discovery said of a definition before an object was deleted explains nothing of that",
      file: "src/controllers/shared/withdrawals.ts",
      find: "last.askedMs >= nowMs - deletingForMs + FOLLOWS_MS",
      replace: "last.askedMs >= nowMs - 60_000",
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/withdrawals.loopback.test.ts"],
        only: "explains a deletion",
      },
    },
    {
      name: "account-of-the-annotation-unseen",
      promise:
        "what another account's token does not find is not gone, also where the annotation alone says whose it is",
      file: "src/controllers/shared/believe-gone.ts",
      find: "const account = known ?? connection?.identity ?? session.account;",
      replace: "const account = connection?.identity ?? session.account;",
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/believe-gone.loopback.test.ts"],
        only: "was lost",
      },
    },
    {
      name: "listed-half-told-each-time",
      promise: "what stays is told once, when all of it is listed",
      file: RELEASES,
      find: "      listed.push({ remote, failure });\n",
      replace: "      listed.push({ remote, failure });\n      this.#total.increment({ kind, cause });\n",
      killer: {
        project: "loopback",
        files: ["src/controllers/shared/releases.loopback.test.ts"],
        only: "tells of none before all",
      },
    },
  ],
};
