import type { Section } from "../mutant.ts";

const PROJECT = "src/controllers/project/finalize.ts";
const BRANCH = "src/controllers/branch/finalize.ts";
const SECRET = "src/controllers/secret/finalize.ts";
const BELIEVE = "src/controllers/shared/believe-gone.ts";

const LOST_CREATE = { project: "loopback", files: ["src/controllers/lost-create.loopback.test.ts"] } as const;
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
      find: "= deletion;\n  if (isElsewhere(run.status.current.connection, session)) return otherPlatform(run, target);\n",
      replace: "= deletion;\n",
      killer: by("other-platform", "may have been made"),
    },
    {
      name: "project-gone-on-another-platform",
      promise: "what is recorded on one platform is not taken for gone as another one does not have it: a Project",
      file: PROJECT,
      find: "spec.organization;\n  if (isElsewhere(run.status.current.connection, session)) return otherPlatform(run, target);\n",
      replace: "spec.organization;\n",
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
      find: "  if ((account ?? session.account) !== session.account) return otherAccount(run, target);\n",
      replace: "",
      killer: by("believe-gone", "waits for a token of its account"),
    },
    {
      name: "project-with-its-former-request-for-ever",
      promise: "a Project that was given another project takes nothing by its former request once that cannot arrive",
      file: "src/controllers/project/reconcile.ts",
      find: "  endDoubt(run, { requestDeadlineMs: CREATE_DEADLINE_MS, nowMs });\n",
      replace: "",
      killer: ends("once that cannot arrive"),
    },
    {
      name: "project-deleted-by-its-former-request",
      promise: "nor does its deletion",
      file: PROJECT,
      find: '  if (remote.status !== "GOING_DOWN") endDoubt(run, doubtTimes(run, deletion.object));\n',
      replace: "",
      killer: ends("was given another one"),
    },
    {
      name: "branch-deleted-by-its-former-request",
      promise: "nor does that of a Branch",
      file: BRANCH,
      find: "  if (recorded !== undefined && !isOnItsWayOut(recorded)) endDoubt(run, { requestDeadlineMs, nowMs });\n",
      replace: "",
      killer: ends("leaves what somebody made"),
    },
    {
      name: "branch-in-doubt-beside-a-record-forgotten",
      promise: "a Branch whose recorded branch is deleted waits for what a request of its own may make yet",
      file: BRANCH,
      find: "const made = await intendedBranch(run, { session, nowMs, others });",
      replace:
        "const made = recorded && (await intendedBranch(run, { session, nowMs, others: [] }).catch(() => undefined));",
      killer: ends("waits, once that is deleted"),
    },
    {
      name: "branch-in-doubt-beside-a-kept-one-forgotten",
      promise: "also where the other one is kept",
      file: BRANCH,
      find: "if (why !== undefined && !isFollowed) {",
      replace: "if (why !== undefined) {",
      killer: ends("also where the other one is kept"),
    },
    {
      name: "kept-branch-told-of-at-each-look",
      promise: "what is kept, or will go by itself, is told of once",
      file: BRANCH,
      find: "  if (why !== undefined) return () => retained(run, [{ remote: nameOf(sought), why }]);\n",
      replace:
        "  if (why !== undefined) {\n    await retained(run, [{ remote: nameOf(sought), why }]);\n    return () => Promise.resolve();\n  }\n",
      killer: ends("also where the other one is kept"),
    },
    {
      name: "soft-deletion-told-of-at-each-look",
      promise: "what is kept, or will go by itself, is told of once",
      file: BRANCH,
      find: "  if (goesAt !== undefined) return tell;\n",
      replace: "",
      killer: ends("kept for a while"),
    },
    {
      name: "branch-in-doubt-held-for-ever-by-a-hidden-project",
      promise: "the bound holds for a Branch that may not look for what it asked for",
      file: BRANCH,
      find: "if (own.recorded !== undefined || !isHidden(failure)) throw failure;",
      replace: "throw failure;",
      killer: ends("at the bound, and no sooner"),
    },
    {
      name: "branch-in-doubt-not-let-go-by-its-name",
      promise: "a Branch that may not look for what it asked for is let go by hand",
      file: BRANCH,
      find: "ref: recorded?.ref ?? intent?.name,",
      replace: "ref: recorded?.ref,",
      killer: ends("by the name of what it asked for"),
    },
    {
      name: "let-go-under-the-other-name",
      promise: "what is let go is told by its own name",
      file: PROJECT,
      find: "const target = targetOf(object, { sought: intended(intent), ref: intent.name });",
      replace:
        'const target = targetOf(object, { sought: recorded ? { kind: "project", ref: recorded.ref } : intended(intent), ref: intent.name });',
      killer: ends("names what it asked for"),
    },
    {
      name: "half-of-what-is-let-go-told",
      promise: "what is let go is told of, all of it",
      file: "src/controllers/shared/deletion.ts",
      find: "= [sought, beside].filter",
      replace: "= [sought].filter",
      killer: ends("names both"),
    },
    {
      name: "kept-project-gone-in-doubt",
      promise: "an object whose thing is kept keeps the name that it asked for while it is in doubt: a Project",
      file: PROJECT,
      find: "    waitOutDoubt(own.intent, doubtTimes(run, object));\n",
      replace: "",
      killer: { ...LOST_CREATE, only: "until nothing can arrive any more" },
    },
    {
      name: "kept-branch-gone-in-doubt",
      promise: "an object whose thing is kept keeps the name that it asked for while it is in doubt: a Branch",
      file: BRANCH,
      find: "    waitOutDoubt(intent, times);\n    const beside",
      replace: "    const beside",
      killer: { ...LOST_CREATE, only: "until nothing can arrive any more" },
    },
    {
      name: "request-forgotten-beside-what-was-typed",
      promise: "what its own request made is deleted also where something that was typed is left alone",
      file: PROJECT,
      find: 'if (intent === undefined || end === "released") return end;',
      replace: 'if (intent === undefined || end !== "gone") return end;',
      killer: by("forged-record", "leaves what was typed alone"),
    },
    {
      name: "project-of-half-a-record-let-go",
      promise: "what its status says of this very object is deleted with it, whatever its annotation says",
      file: "src/controllers/shared/ownership.ts",
      find: "return later ? recordedOwnership({ ...metadata, annotations: {} }, status, holder) : recorded;",
      replace: "return recorded;",
      killer: by("forged-record", "another project than its status"),
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
      find: "sought: intended(intent), ref: intent.name });",
      replace: "sought: intended(intent), ref: undefined });",
      killer: ends("is let go by the name"),
    },
    {
      name: "project-in-doubt-gone-for-another-account",
      promise: "what one account may have made is not taken for gone as another one is not shown it",
      file: PROJECT,
      find: 'return isOtherAccount(run.status.current.connection, session) ? otherAccount(run, target) : "gone";',
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
