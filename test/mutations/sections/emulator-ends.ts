import type { Mutant } from "../mutant.ts";

const AUTHORIZE = "src/emulator/access/authorize.ts";
const PRESENCE = "src/emulator/state/presence.ts";
const JIT = "src/emulator/jit/jit.ts";
const DELETED = "projects/deleted-project";
const MEANWHILE = "projects/deleted-meanwhile";
const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;

/** What the emulator says of a project that goes down, and of what belongs to it. */
export const emulatedEnds: readonly Mutant[] = [
  {
    name: "config-of-a-deleted-project-read",
    promise: "the configuration of a project that is going down is 406",
    file: PRESENCE,
    find: 'return isDeleted || statusAt(life, world.clock.now()) === "GOING_DOWN";',
    replace: "return isDeleted && goneAtMs < 0;",
    killer: of(DELETED, "tells its configuration with 406"),
  },
  {
    name: "status-of-going-down-without-its-answers",
    promise: "a project that was put into GOING_DOWN answers as one that was deleted",
    file: PRESENCE,
    find: ' || statusAt(life, world.clock.now()) === "GOING_DOWN"',
    replace: "",
    killer: of(DELETED, "is one that was"),
  },
  {
    name: "deleted-project-forced-back",
    promise: "a project that was deleted is brought back by no status that it is put into",
    file: PRESENCE,
    find: "return isDeleted || statusAt",
    replace: "return statusAt",
    killer: of(DELETED, "is not brought back"),
  },
  {
    name: "databases-gone-with-a-refused-reset",
    promise: "a reset that is refused takes no database away",
    file: "src/emulator/emulator.ts",
    find: "    fillWorld(world, options, seed);\n    // Last: a seed that is refused takes nothing away.\n    for (const ref of refs) world.onProjectRemoved(ref);\n",
    replace: "    for (const ref of refs) world.onProjectRemoved(ref);\n    fillWorld(world, options, seed);\n",
    killer: of("postgres/removed-after-save", "a reset is refused"),
  },
  {
    name: "half-a-character-in-a-password",
    promise: "a password with half of a character gives no 500",
    file: "src/emulator/functions/platform-secrets.ts",
    find: "encodeURIComponent(password.toWellFormed())",
    replace: "encodeURIComponent(password)",
    killer: of("functions/secrets", "half of a character"),
  },
  {
    name: "project-that-goes-down-changed",
    promise: "nothing of a project that is going down is read or changed but itself",
    file: AUTHORIZE,
    find: 'if (!errors.includes(406)) throw notFound("Project");',
    replace: "if (!errors.includes(406)) throw unauthorized();",
    killer: of(DELETED, "takes no change as long as it is going down"),
  },
  {
    name: "end-of-a-project-told-before-rights",
    promise: "a right that is missing is told before anything of a project",
    file: AUTHORIZE,
    find: "  const refusal = planRefusal(",
    replace: "  refuseEnding(world, operation, project);\n  const refusal = planRefusal(",
    killer: of(DELETED, "is told to nobody who is refused for something else"),
  },
  {
    name: "snippet-of-a-project-that-goes-down-read",
    promise: "a project that goes down takes its snippets with it",
    file: "src/emulator/sql/snippets.ts",
    find: "stayingProject(world, projectRef)",
    replace: "projectByRef(world, projectRef)",
    killer: of(DELETED, "takes its snippets with it"),
  },
  {
    name: "project-that-goes-down-seen",
    promise: "nothing is listed of a project that goes down, also where the query names it",
    file: "src/emulator/access.ts",
    find: "seen(world, caller, stayingProject(world, ref))",
    replace: "seen(world, caller, projectByRef(world, ref))",
    killer: of(DELETED, "takes its snippets with it"),
  },
  {
    name: "deploy-into-a-project-that-goes-down",
    promise: "a deploy that was begun before its project was deleted stores nothing",
    file: "src/emulator/functions/function-store.ts",
    find: "stayingProject(world, ref)",
    replace: "world.projects.get(ref)",
    killer: of(MEANWHILE, "a deploy that is bundled"),
  },
  {
    name: "branch-of-a-project-that-goes-down",
    promise: "a branch that was begun before its project was deleted is none",
    file: "src/emulator/branches/branches.ts",
    find: "stayingProject(world, parent.ref)",
    replace: "projectByRef(world, parent.ref)",
    killer: of(MEANWHILE, "which the database did while"),
  },
  {
    name: "restoration-of-a-project-that-goes-down",
    promise: "a restoration that was begun before its project was deleted is told of it",
    file: "src/emulator/infrastructure/backups.ts",
    find: "stayingProject(world, ref)",
    replace: "world.projects.get(ref)",
    killer: of(MEANWHILE, "which the database did while"),
  },
  {
    name: "invitation-to-a-project-that-goes-down-accepted",
    promise: "nobody accepts an invitation to a project that goes down",
    file: JIT,
    find: "stayingProject(world, params.ref)",
    replace: "world.projects.get(params.ref)",
    killer: of("jit/jit", "ends with its project"),
  },
  {
    name: "grant-of-a-project-that-goes-down-used",
    promise: "nobody from outside uses a grant of a project that goes down",
    file: JIT,
    find: "stayingProject(world, ref)",
    replace: "world.projects.get(ref)",
    killer: of("jit/jit", "ends with its project"),
  },
  {
    name: "claim-of-a-project-that-goes-down",
    promise: "no user hands a project that goes down to an app",
    file: "src/emulator/oauth/oauth-consent.ts",
    find: "stayingProject(world, ref)",
    replace: "projectByRef(world, ref)",
    killer: of("oauth/project-claim", "once the project goes down"),
  },
  {
    name: "database-of-a-project-that-is-gone-kept",
    promise: "a project that went by the clock leaves no database behind",
    file: "src/emulator/http/exchange.ts",
    find: "  sweepGone(world);",
    replace: " ",
    killer: of("sql/database-life", "is kept in the data folder"),
  },
  {
    name: "database-gone-before-its-project",
    promise:
      "a database goes when the end of its project is saved, and kill -9 brings back the two together or neither",
    file: "src/emulator/postgres/pool.ts",
    find: "const [{ status }] = await saved;",
    replace: 'const status: string = "fulfilled";',
    killer: of("postgres/removed-after-save", "stays in its folder|stays for good"),
  },
  {
    name: "removals-saved-by-nobody",
    promise: "a database goes when the end of its project is saved",
    file: "src/emulator/emulator.ts",
    find: "    saved: save,\n",
    replace: "",
    killer: of("postgres/removed-after-save", "outlives a process that ends"),
  },
  {
    name: "reset-that-waits-for-no-database",
    promise: "a reset that is acknowledged has taken every database with it",
    file: "src/emulator/emulator.ts",
    find: "    await databases.gaveWay();",
    replace: "   ",
    killer: of("postgres/removed-after-save", "of a reset is gone"),
  },
];
