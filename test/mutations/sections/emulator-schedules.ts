import type { Mutant } from "../mutant.ts";

const SILENT = {
  project: "loopback",
  files: ["src/emulator/sql/database-life.loopback.test.ts"],
  only: "gives no answer, and does nothing",
} as const;

/** What the emulator makes of time, of how it was told to behave, and of names that no database can have. */
export const emulatedSchedules: readonly Mutant[] = [
  {
    name: "held-status-skipped",
    promise: "what is let go before it comes to where it would be held passes through that too",
    file: "src/emulator/state/life.ts",
    find: "if (stop !== undefined && stop.atMs > nowMs) {",
    replace: "if (stop !== undefined && stop.atMs > nowMs && held.length === 0) {",
    killer: { project: "unit", files: ["src/emulator/state/life.test.ts"] },
  },
  {
    name: "schema-named-nul",
    promise: "a name that PostgreSQL cannot have is refused, and never a 500",
    file: "src/api/contract/fields.ts",
    find: ".regex(/^[^,\\x00]+(,[^,\\x00]+)*$/,",
    replace: ".regex(/^[^,]+(,[^,]+)*$/,",
    killer: { project: "loopback", files: ["src/emulator/sql/database-documents.loopback.test.ts"] },
  },
  {
    name: "flags-kept-for-later-starts",
    promise: "what flags say of the settings is for one start: the next one finds what was seeded or patched",
    file: "src/emulator/emulator.ts",
    find: "  const { tokens = [] } = options;\n  world.toldSettings = toldBy(options);",
    replace: "  const { tokens = [] } = options;\n  changeSettings(world, toldBy(options));",
    killer: { project: "loopback", files: ["src/emulator/persistence/saved-settings.loopback.test.ts"] },
  },
  {
    name: "speed-said-by-nobody-taken-for-said",
    promise: "a start without a flag leaves the settings of the data folder in force",
    file: "src/cli/emulator.ts",
    find: "...(options.speed === undefined ? {} : { speed: options.speed }),",
    replace: "speed: options.speed ?? 1,",
    killer: {
      project: "loopback",
      files: ["src/cli/emulator.loopback.test.ts"],
      only: "leaves the settings of a data folder",
    },
  },
  {
    name: "sql-of-a-database-that-gives-no-answer",
    promise: "SQL is 544, and not done, while its database takes longer to answer than is waited for it",
    file: "src/emulator/sql/sql.ts",
    find: "  return silenceOf(world, ref);",
    replace: "  return undefined;",
    killer: SILENT,
  },
  {
    name: "silence-as-long-as-is-waited",
    promise: "a database that answers within the time that is waited for it is heard",
    file: "src/emulator/sql/sql.ts",
    find: "return answersAfterMs > world",
    replace: "return answersAfterMs >= world",
    killer: SILENT,
  },
  {
    name: "merge-of-a-database-that-gives-no-answer",
    promise: "what is done with branches is 544, and not done, while one of their databases gives no answer",
    file: "src/emulator/branches/ready-branch.ts",
    find: "if (silence !== undefined) throw silence;",
    replace: 'if (silence?.name === "") throw silence;',
    killer: SILENT,
  },
  {
    name: "copy-of-a-database-that-gives-no-answer",
    promise: "a branch is not made of a database that gives no answer: 544",
    file: "src/emulator/branches/branches.ts",
    find: "if (silence !== undefined) throw silence;",
    replace: 'if (silence?.name === "") throw silence;',
    killer: SILENT,
  },
  {
    name: "deep-recursion-ends-the-database",
    promise: "SQL errors come back as the database said: what goes too deep is 54001, and the database goes on",
    file: "src/emulator/postgres/instance.ts",
    find: "stackSizeMb: 64",
    replace: "stackSizeMb: 4",
    killer: { project: "loopback", files: ["src/emulator/postgres/deep.loopback.test.ts"] },
  },
  {
    name: "wide-numbers-without-a-format",
    promise: "generated clients hold every number: the document says which ones 32 bits may not",
    file: "src/api/openapi/portable.ts",
    find: 'return fits ? schema : { ...schema, format: "int64" };',
    replace: "return fits ? schema : { ...schema };",
    killer: { project: "unit", files: ["src/api/openapi/portable.test.ts"] },
  },
];
