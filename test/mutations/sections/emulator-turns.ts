import type { Mutant } from "../mutant.ts";

const WORK = "src/emulator/branches/branch-work.ts";
const DATABASE = "src/emulator/branches/branch-database.ts";
const READY = "src/emulator/branches/ready-branch.ts";
const POOL = "src/emulator/postgres/pool.ts";
const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;
const WAITING = "branches/branch-turns";
const MEANWHILE = "branches/branch-work-meanwhile";
const OVERTAKEN = "postgres/pool-overtaken";

/** Turns of a database: what waits for one, and what changes while one is under way. */
export const emulatedTurns: readonly Mutant[] = [
  {
    name: "migrations-chosen-before-their-turn",
    promise: "a reset keeps what is acknowledged while it waits, and of two merges the second has nothing to apply",
    file: WORK,
    find: "  return inTurnOf(databases, { ref, check: parties }, async (turn) => {\n    const migrations = await choose(() => historyIn(turn));",
    replace:
      "  const migrations = await choose(() => databases.inTurn(ref, historyIn));\n  return inTurnOf(databases, { ref, check: parties }, async (turn) => {",
    killer: of(WAITING, "keeps a migration that is acknowledged|apply each migration once"),
  },
  {
    name: "begun-by-what-was-before-reading",
    promise: "work on branches is refused for what changes until it begins, and then goes by the names of that time",
    file: WORK,
    find: '    const migrations = await choose(() => historyIn(turn));\n    if (kind !== "reset" && migrations.length > 0) await turn.open(); // there may be none until now\n    const begun = parties();',
    replace:
      '    const begun = parties();\n    const migrations = await choose(() => historyIn(turn));\n    if (kind !== "reset" && migrations.length > 0) await turn.open();',
    killer: of(MEANWHILE, "as late as while it is decided"),
  },
  {
    name: "turn-of-what-is-not-ready",
    promise: "a diff that waited until a branch was not ready any more is refused",
    file: READY,
    find: "      check();\n      if (await turn.exists()) await turn.open();\n      check(); // it may have waited for room\n",
    replace: "      if (await turn.exists()) await turn.open();\n",
    killer: of(WAITING, "is refused as a fresh one is when"),
  },
  {
    name: "deleted-branch-told-as-a-project",
    promise: "work on a branch that is deleted while it waits is 404 in the words of a fresh request",
    file: READY,
    find: 'if (error instanceof DatabaseUnavailableError && error.reason === "dropped") check();',
    replace: "if (DatabaseUnavailableError === undefined) check();",
    killer: of(WAITING, "are 404 as a fresh request is"),
  },
  {
    name: "run-of-a-branch-that-is-gone",
    promise: "a merge is 404 when its branch is gone by the end of its migrations",
    file: READY,
    find: 'if (present === undefined || !isThere(world, present)) throw notFound("Branch");',
    replace: "if (present === undefined) return world.branches.get(id) as never;",
    killer: of(MEANWHILE, "is 404 when its"),
  },
  {
    name: "run-of-a-branch-that-goes-down",
    promise: "a merge is 404 when a project of it goes down during the migrations",
    file: READY,
    find: 'if (stayingProject(world, present.projectRef) === undefined) throw notFound("Project");\n  return present',
    replace: "return present",
    killer: of(MEANWHILE, "is 404 when its"),
  },
  {
    name: "ordered-failure-used-up-by-a-refusal",
    promise: "a failure of a step is ordered until a run fails by it, also where work is refused after its migrations",
    file: WORK,
    find: "    const present = stillThere(world, begun);",
    replace: "    takeRunFailure(world, begun.target, AFTER_MIGRATE);\n    const present = stillThere(world, begun);",
    killer: of(MEANWHILE, "uses up no failure"),
  },
  {
    name: "ordered-failure-used-up-by-another",
    promise: "a failure of a step is ordered until a run comes to that step",
    file: WORK,
    find: "  if (failed) return {};\n  const ordered = takeRunFailure(world, target, AFTER_MIGRATE);",
    replace: "  const ordered = takeRunFailure(world, target, AFTER_MIGRATE);\n  if (failed) return {};",
    killer: of(MEANWHILE, "that it does not come to"),
  },
  {
    name: "run-under-an-old-name",
    promise: "what a branch is called and is at the end of its migrations is what its run tells and leaves",
    file: WORK,
    find: "    const present = stillThere(world, begun);",
    replace: "    stillThere(world, begun);\n    const present = begun;",
    killer: of(MEANWHILE, "is renamed during the migrations"),
  },
  {
    name: "way-back-given-up-while-going-it",
    promise: "a restoration that has begun ends, though the add-on for it is removed meanwhile",
    file: POOL,
    find: "    await this.#replace(slot, async (draft) => {",
    replace:
      "    await this.#pastOf(slot, this.#recoverable(slot.ref));\n    await this.#replace(slot, async (draft) => {",
    killer: of(OVERTAKEN, "ends as it was asked for"),
  },
  {
    name: "way-back-cut-off-by-its-own-note",
    promise: "what a restoration notes first forgets nothing of what it goes back to",
    file: POOL,
    find: "Math.min(time.fromMs, timeMs)",
    replace: "time.fromMs",
    killer: of(OVERTAKEN, "ends as it was asked for"),
  },
  {
    name: "made-anew-for-nobody",
    promise: "what is being made anew for a project that is gone is ended at once",
    file: POOL,
    find: "    void slot.kill();",
    replace: "    void slot.instance?.kill();",
    killer: of(OVERTAKEN, "is ended at once when its project is gone"),
  },
  {
    name: "made-anew-after-the-end",
    promise: "what is being made anew ends with all databases",
    file: POOL,
    find: "if (!slot.idle) await slot.kill();",
    replace: "if (!slot.idle) await slot.instance?.kill();",
    killer: of(OVERTAKEN, "is ended at once with all others"),
  },
  {
    name: "filled-for-nobody",
    promise: "a database that has started for a project that is gone is not filled",
    file: POOL,
    find: "      this.#check(slot); // it may have ended while this one started\n",
    replace: "",
    killer: of(OVERTAKEN, "is not filled when its project is gone"),
  },
  {
    name: "sql-under-settings-of-before",
    promise: "SQL that waited until the disk was full, or the database configured anew, runs as a fresh request does",
    file: "src/emulator/sql/sql.ts",
    find: "databases.run(ref, () => {\n    const settings = sessionSettings(world.postgresConfig.get(ref));\n    return { ...job, defaultReadOnly: refusesWrites(world, ref), settings };\n  });",
    replace:
      "databases.run(ref, {\n    ...job,\n    defaultReadOnly: refusesWrites(world, ref),\n    settings: sessionSettings(world.postgresConfig.get(ref)),\n  });",
    killer: of("projects/forced-meanwhile", "runs as a fresh request does"),
  },
  {
    name: "reset-to-half-of-its-migrations",
    promise: "a reset whose migrations do not lead to a database leaves the one that is there, with its history",
    file: DATABASE,
    find: "if (failed) throw new NotReplayed(lines);",
    replace: "if (failed && lines.length === 0) throw new NotReplayed(lines);",
    killer: of("branches/branch-database", "begins as|stays as it is where a reset"),
  },
  {
    name: "reset-of-a-full-database",
    promise: "a reset is refused while the database may not be written to",
    file: WORK,
    find: "if (refusesWrites(world, target.projectRef)) throw",
    replace: "if (!refusesWrites(world, target.projectRef) && target.isDefault) throw",
    killer: of("branches/branch-database", "begins as|stays as it is where a reset"),
  },
  {
    name: "reset-told-of-silence",
    promise: "a reset whose new database gives no answer is 544, and no run",
    file: DATABASE,
    find: "(job) => refusalOf(run, { ...job, defaultReadOnly: isReadOnly() }),",
    replace: "(job) => silenceToo(refusalOf(run, { ...job, defaultReadOnly: isReadOnly() })),",
    killer: of(MEANWHILE, "whose new database gives no answer"),
  },
  {
    name: "history-that-is-another",
    promise: "a history of migrations that its owner changed is refused in words",
    file: "src/emulator/sql/migration-rows.ts",
    find: "  const { data, error } = schema.safeParse(found);",
    replace: "  const { data, error } = { data: schema.parse(found), error: undefined as z.ZodError | undefined };",
    killer: of("branches/branch-database", "begins as|whose history"),
  },
  {
    name: "failure-of-a-later-step",
    promise: "a run ends by the failure that is ordered for the first step that it comes to",
    file: "src/emulator/branches/runs.ts",
    find: "for (const at of steps) {",
    replace: "for (const at of steps.toReversed()) {",
    killer: of(MEANWHILE, "failures that are ordered"),
  },
  {
    name: "merged-into-what-waited-for-room",
    promise: "a merge whose target's database is made for it is refused for what changes until there is room",
    file: WORK,
    find: 'if (kind !== "reset" && migrations.length > 0) await turn.open();',
    replace: "",
    killer: of(MEANWHILE, "that nobody has asked anything"),
  },
  {
    name: "reset-by-what-was-before-room",
    promise: "a reset is refused for what changes until its new database has room",
    file: DATABASE,
    find: "      check(); // the new one may have waited for room\n",
    replace: "",
    killer: of(MEANWHILE, "the new database has room"),
  },
  {
    name: "sql-by-what-was-before-room",
    promise: "SQL that waited for room goes by what is when it begins",
    file: POOL,
    find: "        return job();\n",
    replace: "        return ((job as unknown as { once?: SqlJob }).once ??= job());\n",
    killer: of(OVERTAKEN, "is refused for what changes until there is some"),
  },
  {
    name: "place-behind-what-was-left",
    promise: "a database takes its place though another came to no end before",
    file: "src/emulator/postgres/folders.ts",
    find: "of [ready, doomed])",
    replace: "of [doomed])",
    killer: { project: "unit", files: ["src/emulator/postgres/folders.test.ts"], only: "leaves nothing else" },
  },
  {
    name: "place-taken-by-what-failed",
    promise: "a database that cannot take the place of another leaves it for good",
    file: "src/emulator/postgres/folders.ts",
    find: "of [ready, doomed])",
    replace: "of [ready])",
    killer: {
      project: "unit",
      files: ["src/emulator/postgres/folders.test.ts"],
      only: "leaves the other one for good",
    },
  },
  {
    name: "room-kept-by-who-is-asked-most",
    promise: "who waits for room for a database gets it, however much is wanted of those that are open",
    file: POOL,
    find: "if (slot.instance !== undefined && this.#openings.isShort)",
    replace: "if (slot.idle && slot.instance !== undefined && this.#openings.isShort)",
    killer: of(OVERTAKEN, "gets it by the time"),
  },
  {
    name: "waiter-forgotten-once-a-database-has-closed",
    promise: "whoever waits for room is served, also where fewer may be open by then",
    file: "src/emulator/postgres/openings.ts",
    find: "      this.wake(); // fewer may be open by now than when it began\n",
    replace: "",
    killer: {
      project: "loopback",
      files: ["src/emulator/postgres/pool-overtaken.loopback.test.ts"],
      only: "where fewer may be open",
    },
  },
];
