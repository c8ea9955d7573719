import type { Section } from "../mutant.ts";

const CREATE = "src/controllers/shared/create-once.ts";
const inModel = (only: string) =>
  ({ project: "unit", files: ["src/controllers/shared/create-once-doubt.test.ts"], only }) as const;
const LOST_CREATE = { project: "loopback", files: ["src/controllers/lost-create.loopback.test.ts"] } as const;

/** engine.md §4: what came of a create whose answer was lost, and objects that mean the same name. */
export const lostCreates: Section["mutants"] = [
  {
    name: "project-of-another-object-deleted",
    promise: "what a lost create made is told from another object's, also where the object is deleted",
    file: "src/controllers/project/create.ts",
    find: 'const others = isOthers(run.environment.objects.projects.byIndex("ref", ref), { uid, ref, session });',
    replace: "const others = uid === ref;",
    killer: { ...LOST_CREATE, only: "leaves what another object has" },
  },
  {
    name: "branch-of-another-object-deleted",
    promise: "what a lost create made is told from another object's, also where the object is deleted",
    file: "src/controllers/branch/creation.ts",
    find: 'const others = isOthers(environment.objects.branches.byIndex("ref", ref), { uid, ref, session });',
    replace: "const others = uid === ref;",
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
  {
    name: "refused-retry-keeps-a-doubt-up",
    promise: "a request that had certainly no effect leaves a doubt as it was before",
    file: CREATE,
    find: "if (nameTaken || request.provesNoEffect(error)) request.restoreIntent(inDoubt);",
    replace:
      "if (inDoubt === undefined && (nameTaken || request.provesNoEffect(error))) request.restoreIntent(undefined);",
    killer: inModel("certainly nothing came"),
  },
  {
    name: "unsent-retry-keeps-a-doubt-up",
    promise: "nor is it any longer for a request that was recorded and not sent",
    file: CREATE,
    find: "    request.restoreIntent(inDoubt); // nothing was sent\n",
    replace: "    if (inDoubt === undefined) request.restoreIntent(undefined);\n",
    killer: inModel("certainly nothing came"),
  },
  {
    name: "doubt-never-over",
    promise: "a look that finds nothing once nothing can arrive any more ends a doubt",
    file: CREATE,
    find: "  if (leftMs <= 0) {\n",
    replace: "  if (leftMs === -Infinity) {\n",
    killer: inModel("long after the only request"),
  },
  {
    name: "late-thing-taken-as-the-name-is-taken",
    promise: "what came later than a request can is not its own, whatever the answer to the next one is",
    file: CREATE,
    find: "  if (leftMs <= 0) {\n",
    replace: "  if (leftMs < -600_000) {\n",
    killer: { project: "unit", files: ["src/controllers/shared/create-once-name-taken.test.ts"] },
  },
  {
    name: "doubt-ends-while-it-is-looked",
    promise: "the look that ends a doubt is after its end",
    file: CREATE,
    find: "  if (leftMs <= 0) {\n",
    replace: "  if (inDoubtForMs(intent, requestDeadlineMs, request.serverNow()) <= 0) {\n",
    killer: inModel("ended while it looked"),
  },
  {
    name: "taken-over-with-no-claim",
    promise: "what has the name is taken over by who may have it alone, whatever that one asked for once",
    file: CREATE,
    find: "  request.requireName();\n  const first",
    replace: "  if (doubt === undefined) request.requireName();\n  const first",
    killer: inModel("in doubt"),
  },
  {
    name: "wrong-clock-forgets-a-request",
    promise: "what was asked for under a clock that was hours ahead is waited for as if it were asked for now",
    file: CREATE,
    find: "  return isAhead(intent, serverNowMs) ? { ...intent, time: new Date(serverNowMs).toISOString() } : intent;\n",
    replace: "  return isAhead(intent, serverNowMs) ? { ...intent } : intent;\n",
    killer: inModel("hours ahead"),
  },
  {
    name: "wrong-clock-holds-for-hours",
    promise: "and no longer",
    file: CREATE,
    find: "  if (followed !== intent) request.restoreIntent(followed);\n",
    replace: "",
    killer: inModel("nothing came of such a request"),
  },
];
