import type { Section } from "../mutant.ts";

const LOST_CREATE = { project: "loopback", files: ["src/controllers/lost-create.loopback.test.ts"] } as const;

/** engine.md §4: what came of a create whose answer was lost, and objects that mean the same name. */
export const lostCreates: Section["mutants"] = [
  {
    name: "project-of-another-object-deleted",
    promise: "what a lost create made is told from another object's, also where the object is deleted",
    file: "src/controllers/project/create.ts",
    find: "others: isOthers(run, session, ref)",
    replace: "others: false",
    killer: { ...LOST_CREATE, only: "leaves what another object has" },
  },
  {
    name: "branch-of-another-object-deleted",
    promise: "what a lost create made is told from another object's, also where the object is deleted",
    file: "src/controllers/branch/creation.ts",
    find: "const others = isOthers(run, branch.project_ref);",
    replace: "const others = false;",
    killer: { ...LOST_CREATE, only: "leaves what another object has" },
  },
  {
    name: "typed-annotation-keeps-from-others",
    promise: "what an annotation alone says of a thing keeps it from nobody",
    file: "src/controllers/shared/ownership.ts",
    find: "  return status.ref === ref && status.recordedFor === metadata.uid;",
    replace: "  return status.ref === ref ? status.recordedFor === metadata.uid : notedRef(metadata) === ref;",
    killer: { ...LOST_CREATE, only: "keeps nothing from who" },
  },
  {
    name: "asked-project-name-of-one-connection",
    promise: "the name of an intent is claimed through whatever connection it was asked for",
    file: "src/controllers/project/claimants.ts",
    find: ".filter(({ status }) => !isElsewhere(status.connection, session));",
    replace: ".filter(({ status }) => status.connection?.identity === session.account);",
    killer: { ...LOST_CREATE, only: "by whatever connection and account it asked" },
  },
  {
    name: "asked-project-name-free",
    promise: "the name of an intent is claimed while it is in doubt, whatever the spec says now",
    file: "src/controllers/indexers.ts",
    find: "[declaredProjectName(object), askedName(object)]",
    replace: "[declaredProjectName(object)]",
    killer: { ...LOST_CREATE, only: "keeps the name from another object" },
  },
  {
    name: "asked-branch-name-free",
    promise: "the name of an intent is claimed while it is in doubt, whatever the spec says now",
    file: "src/controllers/indexers.ts",
    find: "      askedName(object),\n",
    replace: "",
    killer: { ...LOST_CREATE, only: "keeps the name from another object" },
  },
];
