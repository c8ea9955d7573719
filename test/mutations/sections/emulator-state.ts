import type { Section } from "../mutant.ts";

const REFUSALS = "test/emulator/every-refusal.test.ts";
const refusals = (only: string) => ({ project: "loopback", files: [REFUSALS], only }) as const;
const LOADED = {
  project: "loopback",
  files: ["test/emulator/save-and-load-every-call.test.ts"],
  only: "after each exchange of OAuth|after each control call",
} as const;
const POWER_CUT = { project: "loopback", files: ["src/emulator/persistence/power-cut.loopback.test.ts"] } as const;
const SAVED_STATE = "src/emulator/persistence/saved-state.ts";
const SAVED_FILES = "src/emulator/persistence/saved-files.ts";

/** What the emulator remembers: nothing of what it refused, and all the rest over a restart and an end at any moment. */
export const emulatorState: Section = {
  sign: "emulator",
  name: "emulator-state",
  mutants: [
    {
      name: "number-spent-on-a-refusal",
      promise: "a request that is refused changes nothing, also where no reading shows it",
      file: "src/emulator/http/exchange.ts",
      find: "  const caller = authorize(world, operation, ",
      replace: "  world.lastNumber += 1;\n  const caller = authorize(world, operation, ",
      killer: refusals("an operation"),
    },
    {
      name: "code-used-up-by-a-refusal",
      promise: "a code that was refused for what else was asked is good all the same",
      file: "src/emulator/oauth/oauth-token.ts",
      find: "  const scopes = narrowed(body.scope, grant.scopes);\n  world.oauthCodes.set(digest, { ...code, used: true });\n",
      replace:
        "  world.oauthCodes.set(digest, { ...code, used: true });\n  const scopes = narrowed(body.scope, grant.scopes);\n",
      killer: refusals("every other refusal"),
    },
    {
      name: "number-spent-on-an-undocumented-refusal",
      promise: "a request that is refused changes no row of any table, whatever was asked before",
      file: "src/emulator/jit/jit.ts",
      find: '  if (user === undefined || (known === undefined && !member)) throw notFound("User");\n',
      replace:
        '  if (user === undefined || (known === undefined && !member)) {\n    world.lastNumber += 1;\n    throw notFound("User");\n  }\n',
      killer: { project: "loopback", files: ["test/emulator/refused-unchanged.test.ts"] },
    },
    {
      name: "table-left-out-of-the-journal",
      promise: "save and load is the identity: each row of each table, also of those that no operation reads",
      file: "src/emulator/state/table.ts",
      find: "  record(change: RowChange): void {\n",
      replace: '  record(change: RowChange): void {\n    if (change.table === "publishedJwks") return;\n',
      killer: LOADED,
    },
    {
      name: "table-left-out-of-the-snapshot",
      promise: "a snapshot holds each row of each table",
      file: SAVED_STATE,
      find: "[...this.#tables.values()].flatMap((table) =>",
      replace: '[...this.#tables.values()].filter(({ name }) => name !== "oauthRequests").flatMap((table) =>',
      killer: LOADED,
    },
    {
      name: "set-anew-in-its-old-place",
      promise: "rows come back in the order in which they were held",
      file: SAVED_STATE,
      find: "if (value === null) rows.delete(`${table} ${key}`);",
      replace: "if (value === null && table === key) rows.delete(`${table} ${key}`);",
      killer: LOADED,
    },
    {
      name: "refresh-token-unknown-after-a-restart",
      promise: "what a start loads is what was held, all that OAuth issued too",
      file: SAVED_STATE,
      find: "  #restore([name, key, value]: SavedRow): void {\n",
      replace: '  #restore([name, key, value]: SavedRow): void {\n    if (name === "refreshTokens") return;\n',
      killer: LOADED,
    },
    {
      name: "snapshot-renamed-before-it-is-on-the-disk",
      promise: "a snapshot is there as a whole, on the disk, or not at all",
      file: SAVED_FILES,
      find: "    await file.writeFile(text);\n    await file.sync();\n",
      replace: "    await file.writeFile(text);\n",
      killer: POWER_CUT,
    },
    {
      name: "journal-removed-before-its-snapshot-is-there",
      promise: "until a snapshot is there, the older one and the journals since are",
      file: SAVED_STATE,
      find: "    await writeSnapshot(this.#folder, number, rows);\n    await removeOlder(this.#folder, number);\n",
      replace: "    await removeOlder(this.#folder, number);\n    await writeSnapshot(this.#folder, number, rows);\n",
      killer: POWER_CUT,
    },
    {
      name: "journal-removed-before-its-snapshot-is-there-and-killed",
      promise: "kill -9 while a snapshot is written loses nothing",
      file: SAVED_STATE,
      find: "    await writeSnapshot(this.#folder, number, rows);\n    await removeOlder(this.#folder, number);\n",
      replace: "    await removeOlder(this.#folder, number);\n    await writeSnapshot(this.#folder, number, rows);\n",
      killer: {
        project: "loopback",
        files: ["test/emulator/killed.test.ts"],
        only: "loses nothing either while a snapshot is written",
      },
    },
    {
      name: "uploads-not-on-the-disk",
      promise: "an upload is on the disk before the line that tells of it",
      file: "src/emulator/persistence/bytes-folder.ts",
      find: "flush: true",
      replace: "flush: false",
      killer: POWER_CUT,
    },
    {
      name: "line-not-on-the-disk",
      promise: "a change is on the disk before it is acknowledged",
      file: "src/emulator/persistence/journal.ts",
      find: "      await this.#file.datasync();\n",
      replace: "",
      killer: POWER_CUT,
    },
    {
      name: "snapshot-of-another-moment",
      promise: "a snapshot ends where the new journal begins",
      file: SAVED_STATE,
      find: "      if (before !== undefined) this.#handover = handled(this.#append(before, last));\n",
      replace:
        "      if (before !== undefined && last.length === 0) this.#handover = handled(this.#append(before, last));\n",
      killer: POWER_CUT,
    },
  ],
};
