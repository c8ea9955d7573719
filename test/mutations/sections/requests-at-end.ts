import type { Section } from "../mutant.ts";

const EDITED_TEST = "src/controllers/branch/restored-and-edited.loopback.test.ts";
const AT_END = "src/controllers/branch/at-end.ts";
const RUN = "src/controllers/requests/run-requests.ts";
const SETTLE = "src/controllers/branch/settle.ts";
const TEST = "src/controllers/branch/at-end.loopback.test.ts";

const by = (only: string) => ({ project: "loopback", files: [TEST], only }) as const;

/** What is asked for once of what goes, or is gone. */
export const requestsAtEnd: Section = {
  sign: "§4",
  name: "requests-at-end",
  mutants: [
    {
      name: "work-cut-off-by-the-end-of-a-ttl",
      promise: "the end of a ttl waits for an action run that the object asked for",
      file: AT_END,
      find: "leftMs: () => environment.deletions.leftOfEndMs(raw.metadata.uid, elapsedMs, LONGEST_WAIT_MS),",
      replace: "leftMs: () => 0,",
      killer: by("by the end of the ttl"),
    },
    {
      name: "work-cut-off-by-a-deletion",
      promise: "the deletion of a Branch waits for an action run that the object asked for",
      file: "src/controllers/branch/finalize.ts",
      find: "leftMs: () => environment.deletions.leftToWaitMs(run.raw.metadata, timeout),",
      replace: "leftMs: () => 0,",
      killer: by("by the deletion of the object"),
    },
    {
      name: "work-waited-for-without-end",
      promise:
        "an action run that does not end keeps a branch for an hour, or until there is just the time left to delete it",
      file: AT_END,
      find: "if (work !== undefined && leftMs > 0) {",
      replace: "if (work !== undefined) {",
      killer: by("is waited for at the"),
    },
    {
      name: "deletion-left-no-time",
      promise: "of deletionTimeout two minutes, or half of it, are left for the deletion itself",
      file: "src/controllers/shared/deletion-times.ts",
      find: "timeoutMs - this.elapsedMs(metadata) - leastMs,",
      replace: "timeoutMs - this.elapsedMs(metadata),",
      killer: by("is waited for at the deletion"),
    },
    {
      name: "work-cut-off-after-an-absence",
      promise: "an operator that was away for longer follows what a deletion waits for two minutes first",
      file: "src/controllers/shared/deletion-times.ts",
      find: "leastMs - (nowMs - seen.atMs)",
      replace: "0",
      killer: by("given two minutes by the next operator"),
    },
    {
      name: "work-cut-off-at-a-ttl-after-an-absence",
      promise: "an operator that was away for longer follows what the end of a ttl waits for two minutes first",
      file: "src/controllers/shared/deletion-times.ts",
      find: "Math.max(longestMs - elapsedMs, LEAST_TRIED_MS - (nowMs - seenMs))",
      replace: "longestMs - elapsedMs",
      killer: by("given two minutes by the next operator"),
    },
    {
      name: "waiting-counted-as-trying",
      promise: "what waits is not tried: the two minutes of the bound begin after it",
      file: "src/controllers/shared/deletion-times.ts",
      find: "    if (leftMs > 0) this.#byUid.set(metadata.uid, { ...seen, triedMs: nowMs });\n",
      replace: "",
      killer: { project: "unit", files: ["src/controllers/shared/deletion-times.test.ts"], only: "nobody followed" },
    },
    {
      name: "unsent-request-waits-behind-the-last-merge",
      promise: "nothing more is sent to a branch that is due to go, and that is said",
      file: RUN,
      find: 'if (target.kind !== "there") return',
      replace: 'if (target.kind === "nothing") return',
      killer: by("behind a merge that is waited for"),
    },
    {
      name: "request-of-a-missing-branch-left-open",
      promise: "requests of a branch that is gone come to an end, also where its ttl is over",
      file: SETTLE,
      find: "    if (leftMs <= 0) await endRequestsOfLost(run, context, { branchId, why });\n",
      replace: "",
      killer: by("of a persistent branch"),
    },
    {
      name: "request-of-a-missing-project-left-open",
      promise: "requests of a project that is gone come to an end",
      file: "src/controllers/project/missing.ts",
      find: '  await refuseProjectRequests(run, session, "the project does not exist any more");\n',
      replace: "",
      killer: by("of a project, and of the branches in it"),
    },
    {
      name: "request-in-a-missing-project-left-open",
      promise: "requests of a branch whose project is gone come to an end",
      file: "src/controllers/branch/reconcile.ts",
      find: "  await endInMissingProject(run, object);\n",
      replace: "",
      killer: by("of a project, and of the branches in it"),
    },
    {
      name: "branch-of-another-object-had-back",
      promise: "what comes back after the soft end of a ttl may be another object's by then, and stays that one's",
      file: "src/controllers/branch/after-end.ts",
      find: "  requireClaimOnRef(run, context, found.project_ref);\n",
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/branch/ttl.loopback.test.ts"],
        only: "another object's by then",
      },
    },
    {
      name: "edit-loses-a-restored-branch",
      promise: "an edit counts once it is known whether the platform keeps the branch that is to be restored",
      file: "src/controllers/branch/after-end.ts",
      find: "const mayBeKept = run.status.current.id !== undefined && isRestoring(run);",
      replace: 'const mayBeKept = run.status.current.id === "" && isRestoring(run);',
      killer: { project: "loopback", files: [EDITED_TEST], only: "has the branch back" },
    },
    {
      name: "edit-forgotten-for-a-restoration",
      promise: "an edit counts once it is known that a branch is not restored",
      file: "src/controllers/branch/reconcile.ts",
      find: "    if (hasEnded(run)) return rest(run);\n",
      replace: "    if (isAtEnd) return rest(run);\n",
      killer: { project: "loopback", files: [EDITED_TEST], only: "went meanwhile" },
    },
    {
      name: "edit-called-expired",
      promise: "an edit that waits for a restoration is not called as declared",
      file: "src/controllers/branch/reconcile.ts",
      find: "if (!restsExpired(run)) throw",
      replace: 'if (run.key.name === "") throw',
      killer: { project: "loopback", files: [EDITED_TEST], only: "until then the object says so" },
    },
  ],
};
