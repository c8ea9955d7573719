import type { Section } from "../mutant.ts";

const ABSENCES = "src/controllers/shared/absences.ts";
const PROJECT = "src/controllers/project/finalize.ts";
const FUNCTION = "src/controllers/edge-function/finalize.ts";
const SECRET = "src/controllers/secret/finalize.ts";
const BRANCH = "src/controllers/branch/finalize.ts";
const REMOVE = "src/controllers/branch/remove.ts";
const TEST = "src/controllers/access-lost.loopback.test.ts";

const briefly = (only: string) =>
  ({ project: "loopback", files: ["src/controllers/half-a-minute.loopback.test.ts"], only }) as const;

const by = (only: string) => ({ project: "loopback", files: [TEST], only }) as const;

/** engine.md §5: of what is under deletion, what is believed to be gone. */
export const absences: Section = {
  sign: "§5",
  name: "absences",
  mutants: [
    {
      name: "absence-believed-after-seconds",
      promise: "what has no way back follows of two looks that are a minute apart: others may be one incident",
      file: ABSENCES,
      find: "export const FINAL_ABSENCE_MS = 60_000;",
      replace: "export const FINAL_ABSENCE_MS = 5000;",
      killer: briefly("where the answers are"),
    },
    {
      name: "project-gone-for-its-branches-as-soon-as-it-is-told",
      promise: "nor does it of a condition that heals: requests of a project's branches go on meanwhile",
      file: "src/controllers/shared/parents.ts",
      find: " && state === undefined;",
      replace: ";",
      killer: briefly("its project is not found"),
    },
    {
      name: "missing-project-looked-at-again-late",
      promise: "what is told of a missing project heals within a minute, before its branches take it for gone",
      file: "src/controllers/project/missing.ts",
      find: "leftMs > 0 ? leftMs : RECHECK_MS",
      replace: "RECHECK_MS",
      killer: briefly("within seconds"),
    },
    {
      name: "soft-deletion-counts-as-taken",
      promise: "a branch that the platform keeps for a while is there",
      file: "src/controllers/branch/expiry.ts",
      find: "only to have it back.\n  noteFound(run, soughtBranch({ ref, id }));\n",
      replace: "only to have it back.\n",
      killer: briefly("that ended softly"),
    },
    {
      name: "absence-believed-at-once",
      promise: "nothing under deletion is let go for one answer that does not find it",
      file: ABSENCES,
      find: "return atMs - sinceMs;",
      replace: "return Number.isNaN(sinceMs) ? 0 : Infinity;",
      killer: by("one wrong 404"),
    },
    {
      name: "absence-of-a-project-believed-at-once",
      promise: "a project is not let go for one answer that does not find it",
      file: PROJECT,
      find: '  requireAbsence(run, { kind: "project", ref }, "letGo");\n',
      replace: "",
      killer: by("one wrong 404"),
    },
    {
      name: "listed-function-let-go",
      promise: "a function that the live list shows is not gone",
      file: FUNCTION,
      find: "  if (!listed.some((one) => one.slug === slug)) {\n",
      replace: "  if (listed.length > -1) {\n",
      killer: by("found between two wrong answers"),
    },
    {
      name: "unlisted-function-let-go-at-once",
      promise: "a function is gone when two looks did not find it",
      file: FUNCTION,
      find: '    requireAbsence(run, target.sought, "letGo");\n',
      replace: "",
      killer: by("nor is it listed"),
    },
    {
      name: "found-function-counts-as-missed",
      promise: "what is found between two looks is not gone: a function",
      file: FUNCTION,
      find: "  noteFound(run, target.sought);\n",
      replace: "",
      killer: by("found between two wrong answers"),
    },
    {
      name: "unlisted-secrets-let-go-at-once",
      promise: "secrets are gone when two looks did not list them",
      file: SECRET,
      find: '  requireAbsence(run, target.sought, "letGo");\n',
      replace: "",
      killer: by("no secret is listed"),
    },
    {
      name: "secrets-half-listed-let-go",
      promise: "nor are those gone that a list leaves out",
      file: SECRET,
      find: "if (isWhole && taken) environment",
      replace: "if (taken) environment",
      killer: by("half of the secrets"),
    },
    {
      name: "secrets-not-found-to-be-deleted-taken",
      promise: "a deletion that is answered 404 is none that was agreed to: of secrets",
      file: SECRET,
      find: "    taken = false;\n",
      replace: "",
      killer: by("the place of secrets"),
    },
    {
      name: "found-secrets-count-as-missed",
      promise: "what is found between two looks is not gone: secrets",
      file: SECRET,
      find: "  if (isWhole) noteFound(run, target.sought);\n",
      replace: "",
      killer: by("found between two wrong answers"),
    },
    {
      name: "unlisted-branch-let-go-at-once",
      promise: "a branch is gone when two looks did not list it, whatever the answer was",
      file: BRANCH,
      find: '  if (recorded === undefined) requireAbsence(run, target.sought, "letGo");\n',
      replace: "",
      killer: by("branching is off"),
    },
    {
      name: "found-branch-counts-as-missed",
      promise: "what is found between two looks is not gone: a branch",
      file: BRANCH,
      find: "  noteFound(run, sought);\n",
      replace: "",
      killer: by("found between two wrong answers"),
    },
    {
      name: "branch-not-found-to-be-deleted-taken",
      promise: "a deletion that is answered 404 is none that was agreed to: of a branch",
      file: REMOVE,
      find: "  if (isTaken) run.",
      replace: "  if (isTaken || !isTaken) run.",
      killer: by("a branch to be deleted is gone"),
    },
    {
      name: "branch-unlisted-after-its-deletion-let-go-at-once",
      promise: "after a deletion that was not agreed to, the list is asked twice",
      file: REMOVE,
      find: '  if (left === undefined) requireAbsence(run, sought, "letGo");\n',
      replace: "",
      killer: by("a branch to be deleted is gone"),
    },
    {
      name: "missing-for-good-at-once",
      promise:
        "what has no way back follows of two looks a minute apart, also where the status with the project's state was lost",
      file: "src/controllers/project/missing.ts",
      find: 'isTold(run) ? "tell" : "end"',
      replace: 'isTold(run) ? "tell" : "tell"',
      killer: {
        project: "loopback",
        files: ["src/controllers/requests/wrong-absence.loopback.test.ts"],
        only: "after its Project lost its status",
      },
    },
  ],
};
