import type { Section } from "../mutant.ts";

const OUTLIVED = "src/controllers/branch/outlived.loopback.test.ts";
const WRONG = "src/controllers/requests/wrong-absence.loopback.test.ts";
const SECOND_END = "src/controllers/branch/second-end.loopback.test.ts";
const AFTER_END = "src/controllers/branch/after-end.ts";
const LOST_PROJECT = "src/controllers/branch/lost-project.ts";
const RUN = "src/controllers/requests/run-requests.ts";
const SETTLE = "src/controllers/branch/settle.ts";

const by = (file: string, only: string) => ({ project: "loopback", files: [file], only }) as const;

/** What is asked for once of what is not found, and what its action run tells all the same. */
export const requestsOfLost: Section = {
  sign: "§4",
  name: "requests-of-lost",
  mutants: [
    {
      name: "action-run-ends-with-its-branch",
      promise: "what came of a merge, push or reset its action run tells, though the branch is gone",
      file: RUN,
      find: "  if (follower !== undefined) return followRecord",
      replace: "  if (follower !== undefined && record.run === null) return followRecord",
      killer: by(OUTLIVED, "is not made again"),
    },
    {
      name: "action-run-ends-with-another-branch",
      promise: "what came of a merge, push or reset its action run tells, whatever is in the place of its branch",
      file: "src/controllers/shared/record-identity.ts",
      find: "      if (record.run !== undefined) return record;\n",
      replace: "",
      killer: by(OUTLIVED, "made in its place"),
    },
    {
      name: "action-run-forgotten-at-rest",
      promise: "what came of a merge, push or reset its action run tells, though the ttl of its branch is over",
      file: AFTER_END,
      find: "  if (requests.some((record) => isUnderWay(record) && isWork(record))) return false;\n",
      replace: "",
      killer: by(OUTLIVED, "where its ttl is over"),
    },
    {
      name: "work-sent-again-without-its-branch",
      promise: "nothing of a branch that is gone is sent again",
      file: "src/controllers/branch/work.ts",
      find: "    repeats: false,\n    trace: (_, record)",
      replace: "    repeats: true,\n    trace: (_, record)",
      killer: by(OUTLIVED, "a merge that is in doubt when its branch goes"),
    },
    {
      name: "request-in-an-unknown-project-left-open",
      promise: "requests of a branch come to an end where its project is gone that no object manages",
      file: "src/controllers/branch/reconcile.ts",
      find: "    await endInUnknownProject(run, object, { place, known });\n",
      replace: "",
      killer: by(OUTLIVED, "once it is gone"),
    },
    {
      name: "unknown-project-believed-gone-at-once",
      promise: "a project that no object manages is believed to be gone of two looks",
      file: LOST_PROJECT,
      find: "  if (!environment.absences.missed(raw.metadata.uid, what)) return;\n",
      replace: "",
      killer: by(OUTLIVED, "it is not found once"),
    },
    {
      name: "unknown-project-believed-gone-without-access",
      promise: "a project that no object manages is believed to be gone while the token reads an organization",
      file: LOST_PROJECT,
      find: "  if ((await whyNotGone(run, { session, spec })) !== undefined) return;\n",
      replace: "",
      killer: by(OUTLIVED, "no organization either"),
    },
    {
      name: "project-believed-missing-at-once",
      promise: "a project is believed to be missing of two looks, before its requests have their end",
      file: "src/controllers/project/missing.ts",
      find: "  requireMissing(run, `project ${ref}`);\n",
      replace: "",
      killer: by(WRONG, "the project is not found once"),
    },
    {
      name: "branch-believed-missing-at-once",
      promise: "a branch is believed to be missing of two looks, before it is forgotten or its requests have their end",
      file: SETTLE,
      find: "  requireMissing(run, `branch ${ref}`);\n",
      replace: "",
      killer: by(WRONG, "listed once no more"),
    },
    {
      name: "branch-that-was-found-still-missing",
      promise: "of a look between that finds it, two looks that do not find it say nothing",
      file: "src/controllers/shared/absences.ts",
      find: "    byWhat?.delete(what);\n",
      replace: "",
      killer: { project: "unit", files: ["src/controllers/shared/absences.test.ts"] },
    },
    {
      name: "ended-branch-believed-gone-at-once",
      promise: "a branch that ended softly is believed to be gone of two looks",
      file: AFTER_END,
      find: "    if (id !== undefined) requireMissing(run, `branch ${id}`);\n",
      replace: "",
      killer: by(WRONG, "ended softly and is listed once no more"),
    },
    {
      name: "deletion-of-an-unread-branch-taken-for-done",
      promise: "whether a branch is kept for a while is told by a list that shows it",
      file: "src/controllers/branch/remove.ts",
      find: "  if (list === undefined || (left",
      replace: "  if ((left",
      killer: by(WRONG, "just deleted softly"),
    },
    {
      name: "action-run-believed-gone-at-once",
      promise: "an action run is believed to be gone of two looks",
      file: "src/controllers/branch/work.ts",
      find: "if (!at.missed(what) || !isLate) return",
      replace: "if (!isLate) return",
      killer: by(WRONG, "its action run is not found once"),
    },
    {
      name: "kept-branch-believed-gone-at-once",
      promise: "a branch that is to be kept is believed to be gone of two looks",
      file: "src/controllers/branch/requests.ts",
      find: "      if (found === undefined) requireMissing(run, `branch ${ref}`);\n      else runs",
      replace: "      if (found !== undefined) runs",
      killer: by(WRONG, "that is to be kept is listed once no more"),
    },
    {
      name: "request-answered-404-has-failed",
      promise: "a request that is answered 404 once is sent once more before it has failed",
      file: "src/controllers/requests/send.ts",
      find: '  if (code === "GONE") return !',
      replace: '  if (code === "GONE") return request === "" && !',
      killer: by(WRONG, "answered 404 once"),
    },
    {
      name: "second-end-carries-out-requests",
      promise:
        "a restoration that was done in a former life of the branch lets nothing be carried out after its next end",
      file: AFTER_END,
      find: "|| !(asksToRestore(run) || isRestoring(run));",
      replace: '|| !(run.raw.metadata.annotations?.["baas.dev/restore"] !== undefined || isRestoring(run));',
      killer: by(SECOND_END, "at its second end"),
    },
    {
      name: "request-beside-a-restoration-sent-first",
      promise: "nothing but its restoration is carried out on a branch that ended, before that is kept",
      file: RUN,
      find: "    if (first !== undefined && kind.verb !== first) continue;\n",
      replace: "",
      killer: by(SECOND_END, "waits for that"),
    },
    {
      name: "restoration-of-a-lost-branch-unknown",
      promise: "the restoration of a branch that is gone has failed, whoever has its name",
      file: "src/controllers/branch/requests.ts",
      find: "  const elsewhere = [failedToKeep, ...",
      replace: "  void failedToKeep;\n  const elsewhere = [...",
      killer: by(SECOND_END, "another branch of its name"),
    },
    {
      name: "failed-look-counts-as-missed",
      promise: "a look that failed did not find the project missing",
      file: LOST_PROJECT,
      find: "  if (times <= known) return;\n",
      replace: "  if (times === 0) return;\n",
      killer: by(OUTLIVED, "looks fail otherwise since then"),
    },
    {
      name: "request-not-found-ends-the-run",
      promise: "what a run wrote beside a request that is not found is stored",
      file: "src/controllers/requests/send.ts",
      find: '      return environment.enqueue(key, { lane: "progress", afterMs: ABSENCE_LOOK_MS });',
      replace: '      throw (await import("../shared/failures.ts")).waitingUntold("AnswerUnconfirmed", "not found");',
      killer: by(WRONG, "is not written again"),
    },
  ],
};
