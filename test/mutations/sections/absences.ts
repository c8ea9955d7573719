import type { Section } from "../mutant.ts";

const ABSENCES = "src/controllers/shared/absences.ts";
const PROJECT = "src/controllers/project/finalize.ts";
const FUNCTION = "src/controllers/edge-function/finalize.ts";
const SECRET = "src/controllers/secret/finalize.ts";
const BRANCH = "src/controllers/branch/finalize.ts";
const REMOVE = "src/controllers/branch/remove.ts";
const TEST = "src/controllers/access-lost.loopback.test.ts";

const by = (only: string) => ({ project: "loopback", files: [TEST], only }) as const;

/** engine.md §5: of what is under deletion, what is believed to be gone. */
export const absences: Section = {
  sign: "§5",
  name: "absences",
  mutants: [
    {
      name: "absence-believed-at-once",
      promise: "nothing under deletion is let go for one answer that does not find it",
      file: ABSENCES,
      find: "return nowMs - sinceMs >= ABSENCE_LOOK_MS;",
      replace: "return nowMs >= sinceMs;",
      killer: by("one wrong 404"),
    },
    {
      name: "absence-of-a-project-believed-at-once",
      promise: "a project is not let go for one answer that does not find it",
      file: PROJECT,
      find: "    requireAbsence(run, target.remote);\n",
      replace: "",
      killer: by("one wrong 404"),
    },
    {
      name: "listed-function-let-go",
      promise: "a function that the live list shows is not gone",
      file: FUNCTION,
      find: "  if (!listed.some(({ slug }) => slug === slugOf(object))) return requireAbsence(",
      replace: "  if (listed.length > -1) return requireAbsence(",
      killer: by("found between two wrong answers"),
    },
    {
      name: "unlisted-function-let-go-at-once",
      promise: "a function is gone when two looks some seconds apart did not find it",
      file: FUNCTION,
      find: "slugOf(object))) return requireAbsence(run, target.remote);",
      replace: "slugOf(object))) return;",
      killer: by("nor is it listed"),
    },
    {
      name: "found-function-counts-as-missed",
      promise: "what is found between two looks is not gone: a function",
      file: FUNCTION,
      find: "  absences.found(run.raw.metadata.uid, target.remote);\n",
      replace: "",
      killer: by("found between two wrong answers"),
    },
    {
      name: "unlisted-secrets-let-go-at-once",
      promise: "secrets are gone when two looks some seconds apart did not list them",
      file: SECRET,
      find: "  requireAbsence(run, target.remote);\n",
      replace: "",
      killer: by("no secret is listed"),
    },
    {
      name: "secrets-half-listed-let-go",
      promise: "nor are those gone that a list leaves out",
      file: SECRET,
      find: "if (isWhole && taken) absences",
      replace: "if (taken) absences",
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
      find: "  if (isWhole) absences.found(raw.metadata.uid, target.remote);\n",
      replace: "",
      killer: by("found between two wrong answers"),
    },
    {
      name: "unlisted-branch-let-go-at-once",
      promise: "a branch is gone when two looks some seconds apart did not list it, whatever the answer was",
      file: BRANCH,
      find: "if (branch === undefined) return requireAbsence(run, target.remote);",
      replace: "if (branch === undefined) return;",
      killer: by("branching is off"),
    },
    {
      name: "found-branch-counts-as-missed",
      promise: "what is found between two looks is not gone: a branch",
      file: BRANCH,
      find: "  environment.absences.found(run.raw.metadata.uid, target.remote);\n",
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
      find: "  if (left === undefined) requireAbsence(run, remote);\n",
      replace: "",
      killer: by("a branch to be deleted is gone"),
    },
  ],
};
