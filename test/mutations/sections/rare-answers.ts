import type { Section } from "../mutant.ts";

const by = (file: string, only: string) => ({ project: "loopback", files: [file], only }) as const;
const REMOVED = "src/controllers/edge-function/removed.loopback.test.ts";
const REMOVE = "src/controllers/branch/remove.loopback.test.ts";

/** What the platform seldom answers, and what is said of it. */
export const rareAnswers: Section = {
  sign: "§6",
  name: "rare-answers",
  mutants: [
    {
      name: "removed-function-taken-for-there",
      promise: "a function that is called removed is deployed again",
      file: "src/controllers/edge-function/observe.ts",
      find: 'found?.status === "REMOVED" ? undefined : found',
      replace: "found",
      killer: by(REMOVED, "is deployed again"),
    },
    {
      name: "removed-function-taken-for-left",
      promise: "a function that is called removed after its deletion is gone",
      file: "src/controllers/edge-function/finalize.ts",
      find: ' || left.status === "REMOVED"',
      replace: "",
      killer: by(REMOVED, "is gone for the object"),
    },
    {
      name: "deployed-in-vain-told-as-policy",
      promise: "what does not keep what is written to it is told as that, and not as what a policy leaves",
      file: "src/controllers/edge-function/reconcile.ts",
      find: 'isStuck ? "deploying it did not change that" : policy',
      replace: 'isStuck ? policy : "deploying it did not change that"',
      killer: by(REMOVED, "not deployed without end"),
    },
    {
      name: "branch-on-its-way-deleted-again",
      promise: "a branch whose deletion has begun is not asked for again",
      file: "src/controllers/branch/remove.ts",
      find: 'return isGoing(branch) || GOING.has(branch.preview_project_status ?? "");',
      replace: "return isGoing(branch);",
      killer: by(REMOVE, "already is not asked for"),
    },
    {
      name: "branch-that-cannot-go-yet-is-stalled",
      promise: "a branch that the platform cannot delete yet is asked for again",
      file: "src/controllers/branch/remove.ts",
      find: 'if (isApiError(error, "BAD_REQUEST")) {',
      replace: 'if (isApiError(error, "BAD_REQUEST") && elapsedMs < 0) {',
      killer: by(REMOVE, "cannot delete yet"),
    },
    {
      name: "changed-output-deleted",
      promise:
        "an output that nothing names any more, and somebody writes meanwhile, is read again before it is deleted",
      file: "src/controllers/outputs/remove.ts",
      find: "preconditions: { uid, resourceVersion }",
      replace: "preconditions: { uid, resourceVersion: resourceVersion.slice(0, 0) || undefined }",
      killer: by("src/controllers/outputs/written-meanwhile.loopback.test.ts", "is read again first"),
    },
    {
      name: "branch-output-names-the-usual-user",
      promise: "the outputs of a branch name the user of its own database",
      file: "src/controllers/branch/outputs.ts",
      find: "username: user ?? USERNAME",
      replace: "username: user === undefined ? user : USERNAME",
      killer: by("src/controllers/branch/outputs.loopback.test.ts", "names the user"),
    },
    {
      name: "overridden-untold-under-report",
      promise: "whether any setting of the database was overridden is remembered of each look, whatever the policy",
      file: "src/controllers/sections/database-settings.ts",
      find: "...(Object.keys(overrides).length === 0 ? { overridden: false } : {}),",
      replace: "...(Object.keys(overrides).length === 0 && changes.length === 0 ? { overridden: false } : {}),",
      killer: by("src/controllers/sections/wrong-answers.loopback.test.ts", "under driftPolicy Report"),
    },
    {
      name: "stuck-without-its-end",
      promise: "what is written no more says until when, for either reason",
      file: "src/controllers/shared/drift-words.ts",
      find: "${kept}; or ${rotated}:",
      replace: "${kept}:",
      killer: { project: "unit", files: ["src/controllers/shared/drift-words.test.ts"] },
    },
    {
      name: "rotated-without-its-end",
      promise: "what is written no more says until when, for either reason",
      file: "src/controllers/shared/drift-words.ts",
      find: "${kept}; or ${rotated}:",
      replace: "${rotated}:",
      killer: { project: "unit", files: ["src/controllers/shared/drift-words.test.ts"] },
    },
    {
      name: "a-page-is-a-success",
      promise: "the page of a proxy is no success of an operation that has no JSON to tell it by",
      file: "src/api/response.ts",
      find: "if (!isCalledPage || !isMarkup) return;",
      replace: "return;",
      killer: { project: "loopback", files: ["src/api/client.loopback.test.ts"], only: "takes no page of a proxy" },
    },
    {
      name: "text-is-a-page",
      promise: "and nothing at all, or a text, is one whatever it is called",
      file: "src/api/response.ts",
      find: "!isCalledPage || !isMarkup",
      replace: "!isCalledPage",
      killer: { project: "loopback", files: ["src/api/client.loopback.test.ts"], only: "takes any other body" },
    },
    {
      name: "markup-is-a-page",
      promise: "nor does a text say that somebody is to log in because it begins as a page does",
      file: "src/api/response.ts",
      find: "!isCalledPage || !isMarkup",
      replace: "!isMarkup",
      killer: { project: "loopback", files: ["src/api/client.loopback.test.ts"], only: "takes any other body" },
    },
  ],
};
