import type { Section } from "../mutant.ts";

const PROJECT = "src/controllers/project/finalize.ts";
const BRANCH = "src/controllers/branch/finalize.ts";
const SECRET = "src/controllers/secret/finalize.ts";
const BELIEVE = "src/controllers/shared/believe-gone.ts";

const ends = (only: string) =>
  ({ project: "loopback", files: ["src/controllers/lost-create-ends.loopback.test.ts"], only }) as const;

const by = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/controllers/shared/${file}.loopback.test.ts`], only }) as const;

/** engine.md §4 and §5: what a deletion asks for before it deletes, and before it lets go. */
export const deletionGuards: Section = {
  sign: "§5",
  name: "deletion-guards",
  mutants: [
    {
      name: "forged-project-deleted-in-an-organization-not-allowed",
      promise:
        "a record that only the annotation has deletes nothing in an organization that the connection does not allow",
      file: PROJECT,
      find: "return target.unconfirmed === undefined || allowsOrganization(session, slug);",
      replace: "return target.unconfirmed === undefined || slug === object.spec.organization;",
      killer: by("forged-record", "leaves a project alone"),
    },
    {
      name: "forged-branch-deleted-in-a-project-not-allowed",
      promise:
        "a record that only the annotation has deletes no branch of a project that the connection does not let be taken over",
      file: BRANCH,
      find: "unconfirmed: unconfirmedProject(run, object),",
      replace: "unconfirmed: undefined,",
      killer: by("forged-record", "leaves the branch of one alone"),
    },
    {
      name: "names-of-another-object-s-status-deleted",
      promise: "a status that a backup brought back names no secrets of this object's",
      file: SECRET,
      find: "recorded?.confirmed !== true || names.length === 0",
      replace: "recorded === undefined || names.length === 0",
      killer: by("forged-record", "keeps the names of another"),
    },
    {
      name: "project-in-doubt-gone-on-another-platform",
      promise: "what may have been made on one platform is not taken for gone as another one does not have it",
      file: PROJECT,
      find: "  if (isElsewhere(run.status.current.connection, deletion.session)) return otherPlatform(run, deletion);\n",
      replace: "",
      killer: by("other-platform", "may have been made"),
    },
    {
      name: "project-gone-on-another-platform",
      promise: "what is recorded on one platform is not taken for gone as another one does not have it: a Project",
      file: PROJECT,
      find: "  if (isElsewhere(run.status.current.connection, session)) return otherPlatform(run, { target: { ...target, ref } });\n",
      replace: "",
      killer: by("other-platform", "is recorded"),
    },
    {
      name: "child-gone-on-another-platform",
      promise:
        "what is recorded on one platform is not taken for gone as another one does not have it: what lives in a project",
      file: BELIEVE,
      find: "return account !== session.account || isElsewhere(connection, session)",
      replace: "return account !== session.account",
      killer: by("other-platform", "whose thing"),
    },
    {
      name: "project-gone-for-another-account",
      promise: "what another account's token does not find is not gone, though that reads the organization: a Project",
      file: PROJECT,
      find: "  if (account !== session.account) return otherAccount(run, { target: { ...target, ref } });\n",
      replace: "",
      killer: by("believe-gone", "waits for a token of its account"),
    },
    {
      name: "project-with-its-former-request-for-ever",
      promise: "a Project that was given another project takes nothing by its former request once that cannot arrive",
      file: "src/controllers/project/reconcile.ts",
      find: "  endDoubt(run, session);\n",
      replace: "",
      killer: ends("was given another one"),
    },
    {
      name: "branch-in-doubt-beside-a-record-forgotten",
      promise: "a Branch whose recorded branch is deleted waits for what a request of its own may make yet",
      file: BRANCH,
      find: 'if (end === "kept" || ownIntent(run) === undefined) return;',
      replace: 'if (end === "kept" || end === "gone") return;',
      killer: ends("waits for what a request of its own"),
    },
    {
      name: "project-in-doubt-held-for-ever-by-a-hidden-organization",
      promise: "the bound holds for a Project that may not look for what it asked for",
      file: PROJECT,
      find: "if (!isHidden(looked.failure)) throw looked.failure;",
      replace: "throw looked.failure;",
      killer: ends("goes at the bound"),
    },
    {
      name: "project-in-doubt-not-let-go-by-its-name",
      promise: "a Project that may not look for what it asked for is let go by hand",
      file: PROJECT,
      find: "ref: ref ?? own.intent?.name,",
      replace: "ref,",
      killer: ends("is let go by the name"),
    },
    {
      name: "project-in-doubt-gone-for-another-account",
      promise: "what one account may have made is not taken for gone as another one is not shown it",
      file: PROJECT,
      find: 'return isOtherAccount(run, deletion.session) ? otherAccount(run, deletion) : "gone";',
      replace: 'return "gone";',
      killer: by("believe-gone", "that may have been made"),
    },
    {
      name: "branch-in-doubt-gone-for-another-account",
      promise: "what one account may have made is not taken for gone as another one is not shown it: a Branch",
      file: BELIEVE,
      find: "const account = known ?? connection?.identity ?? session.account;",
      replace: "const account = known ?? session.account;",
      killer: by("believe-gone", "that may have been made"),
    },
    {
      name: "function-not-looked-at-after-its-deletion",
      promise: "a function whose deletion was agreed to holds its object for as long as it is there",
      file: "src/controllers/edge-function/finalize.ts",
      find: '  throw new UnderWayError("the function is being deleted", pollDelayMs(deletingForMs(run)));\n',
      replace: "",
      killer: by("look-after-deletion", "whose thing does not go at once"),
    },
    {
      name: "secrets-not-looked-at-after-their-deletion",
      promise: "secrets whose deletion was agreed to hold their object for as long as they are there",
      file: SECRET,
      find: '    if (left.length > 0) throw new UnderWayError(`not gone yet: ${left.join(", ")}`, pollDelayMs(deletingForMs(run)));\n',
      replace: "    void left;\n",
      killer: by("look-after-deletion", "whose thing does not go at once"),
    },
  ],
};
