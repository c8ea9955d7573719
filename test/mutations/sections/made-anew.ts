import type { Section } from "../mutant.ts";

const RECORD = "src/controllers/shared/record-identity.ts";
const WIRED = { project: "unit", files: ["src/controllers/parents-wired.test.ts"] } as const;
const ANEW = { project: "loopback", files: ["src/controllers/made-anew.loopback.test.ts"] } as const;
const PUT_BACK = { project: "loopback", files: ["src/controllers/shared/run.loopback.test.ts"] } as const;
const REQUESTS = { project: "loopback", files: ["src/controllers/requests/made-anew.loopback.test.ts"] } as const;

/** engine.md §4, what takes the place of something that was gone: nothing that was known of the one counts for the other. */
export const madeAnew: Section = {
  sign: "§4",
  name: "made-anew",
  mutants: [
    {
      name: "deletion-of-the-predecessor-goes-on",
      promise:
        "an object that was put back under its name keeps its finalizer and its project: its predecessor was deleted, not it",
      file: "src/controllers/shared/pipeline.ts",
      find: "if (live?.metadata.uid !== object.metadata.uid) return {};",
      replace: "if (live === undefined) return {};",
      killer: { ...PUT_BACK, only: "that nobody deleted" },
    },
    {
      name: "status-of-the-predecessor",
      promise: "an object that was put back under its name is not given the status of its predecessor",
      file: "src/controllers/shared/run.ts",
      find: "{ metadata: { resourceVersion }, status }",
      replace: "{ status }",
      killer: { ...PUT_BACK, only: "no status of the other" },
    },
    {
      name: "status-of-the-predecessor-at-the-second-try",
      promise: "nor is it where the version was read once more",
      file: "src/controllers/shared/run.ts",
      find: "if (metadata.uid !== this.raw.metadata.uid || metadata.resourceVersion === resourceVersion) throw error;",
      replace: "if (metadata.resourceVersion === resourceVersion) throw error;",
      killer: { ...PUT_BACK, only: "no status of the other" },
    },
    {
      name: "ownership-of-the-predecessor",
      promise: "an object that was put back under its name does not inherit what its predecessor owned",
      file: "src/controllers/shared/run.ts",
      find: "{ metadata: { uid: raw.metadata.uid, annotations",
      replace: "{ metadata: { annotations",
      killer: { ...PUT_BACK, only: "what the other owned" },
    },
    {
      name: "sections-of-the-former-project-count",
      promise: "what was in force in a project that is gone is not taken for in force in the one that was made anew",
      file: "src/controllers/shared/status-draft.ts",
      find: '  sections: "forgotten",\n',
      replace: "",
      killer: { ...ANEW, only: "sections are as declared" },
    },
    {
      name: "state-of-the-former-project-counts",
      promise: "what was seen of a project that is gone is not told of the one that was made anew",
      file: "src/controllers/shared/status-draft.ts",
      find: '  state: "forgotten",\n',
      replace: "",
      killer: { ...ANEW, only: "is not told to be up" },
    },
    {
      name: "former-project-wrote-in-vain",
      promise: "the convergence guard counts anew for what was made anew",
      file: RECORD,
      find: "  environment.convergence.forget(uid);\n",
      replace: "",
      killer: { ...ANEW, only: "did not keep" },
    },
    {
      name: "former-place-of-a-secret-counts",
      promise: "the convergence guard counts anew for secrets in a place that was made anew",
      file: "src/controllers/secret/claim.ts",
      find: "    identify(run, place.session, place.ref);\n",
      replace: "    run.status.update({ ref: place.ref, recordedFor: run.raw.metadata.uid });\n",
      killer: { ...ANEW, only: "did not keep" },
    },
    {
      name: "former-place-of-a-function-counts",
      promise: "the convergence guard counts anew for a function in a place that was made anew",
      file: "src/controllers/edge-function/claim.ts",
      find: "    identify(run, place.session, place.ref);\n",
      replace: "    run.status.update({ ref: place.ref, recordedFor: run.raw.metadata.uid });\n",
      killer: { ...ANEW, only: "did not keep" },
    },
    {
      name: "password-of-the-former-project-counts",
      promise: "a password that was sent to a project that is gone is sent to one that takes its place",
      file: "src/controllers/project/create.ts",
      find: "      run.status.update({ databasePassword: undefined });\n",
      replace: "",
      killer: { ...ANEW, only: "the password of a project" },
    },
    {
      name: "secrets-of-the-former-project-are-drift",
      promise: "what a project that was made anew lacks is no drift: secrets",
      file: "src/controllers/secret/reconcile.ts",
      find: "  else run.status.update({ syncedGeneration: undefined });\n",
      replace: "",
      killer: { ...ANEW, only: "a function and secrets" },
    },
    {
      name: "branches-of-the-former-project-are-drift",
      promise: "what a project that was made anew lacks is no drift: branches",
      file: "src/controllers/branch/missing.ts",
      find: " && (parentRef ?? place.projectRef) === place.projectRef;",
      replace: ";",
      killer: { ...ANEW, only: "a branch that nothing lasting" },
    },
    {
      name: "a-branch-asked-for-in-vain-was-in-force",
      promise: "nor is it where the request for such a branch came to nothing, or its answer was lost",
      file: "src/controllers/branch/creation.ts",
      find: "parentRef === projectRef ? {} : { syncedGeneration: undefined }",
      replace: "parentRef === projectRef ? { syncedGeneration: undefined } : {}",
      killer: { ...ANEW, only: "a branch that nothing lasting" },
    },
    {
      name: "each-request-in-vain-makes-an-absence-no-drift",
      promise: "in the same project a branch that is gone stays drift, whatever was asked for in vain",
      file: "src/controllers/branch/creation.ts",
      find: "parentRef === projectRef ? {} : { syncedGeneration: undefined }",
      replace: "{ syncedGeneration: undefined }",
      killer: { ...ANEW, only: "was asked for again in vain" },
    },
    {
      name: "ready-children-sleep-through-another-place",
      promise:
        "children that are Ready look again when their parent stands for another place, whatever the drift policy",
      file: "src/controllers/parents-wired.ts",
      find: "    wakeDisplaced(environment, found);\n",
      replace: "",
      killer: WIRED,
    },
    {
      name: "start-misses-another-place",
      promise: "a start looks at children whose parent came to stand for another place while nobody watched",
      file: "src/controllers/wiring.ts",
      find: " ||\n    isDisplaced(environment, object);",
      replace: ";",
      killer: WIRED,
    },
    {
      name: "another-account-unseen-where-drift-is-ignored",
      promise: "an object at rest looks again when its connection reaches it as another account or on another platform",
      file: "src/controllers/connections-wired.ts",
      find: " || isReachedOtherwise(object.status, session);",
      replace: ";",
      killer: { project: "unit", files: ["src/controllers/connections-wired.test.ts"] },
    },
    {
      name: "requests-outlive-what-they-were-asked-of",
      promise: "what was asked of a project that is gone is neither carried out on another one nor called done there",
      file: RECORD,
      find: "requests: requests.map(endedByLoss)",
      replace: "requests",
      killer: REQUESTS,
    },
  ],
};
