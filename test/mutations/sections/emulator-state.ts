import type { Section } from "../mutant.ts";

const REFUSALS = "test/emulator/every-refusal.test.ts";
const refusals = (only: string) => ({ project: "loopback", files: [REFUSALS], only }) as const;
const LOADED = {
  project: "loopback",
  files: ["test/emulator/save-and-load-every-call.test.ts"],
  only: "after each exchange of OAuth|after each control call",
} as const;
const JOURNAL = "src/emulator/persistence/journal.ts";
const JOURNALS = { project: "loopback", files: ["src/emulator/persistence/journal.loopback.test.ts"] } as const;
const DAMAGE = { project: "loopback", files: ["src/emulator/persistence/damage.loopback.test.ts"] } as const;
const POWER_CUT = { project: "loopback", files: ["src/emulator/persistence/power-cut.loopback.test.ts"] } as const;
const FAILED_SNAPSHOT = {
  project: "loopback",
  files: ["src/emulator/persistence/failed-snapshot.loopback.test.ts"],
} as const;
const MAKE_FOLDER = "src/emulator/persistence/make-folder.ts";
const SAVED_STATE = "src/emulator/persistence/saved-state.ts";
const DURABLE = "src/emulator/persistence/durable.ts";

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
      name: "refresh-token-unknown-after-an-end",
      promise: "kill -9 takes no refresh token that was told, and makes none good that was used",
      file: SAVED_STATE,
      find: "  #restore([name, key, value]: SavedRow): void {\n",
      replace: '  #restore([name, key, value]: SavedRow): void {\n    if (name === "refreshTokens") return;\n',
      killer: {
        project: "loopback",
        files: ["test/emulator/killed.test.ts"],
        only: "loses no acknowledged write of any kind",
      },
    },
    {
      name: "snapshot-renamed-before-it-is-on-the-disk",
      promise: "a snapshot is there as a whole, on the disk, or not at all",
      file: DURABLE,
      find: "    await file.writeFile(content);\n    await file.sync();\n",
      replace: "    await file.writeFile(content);\n",
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
      file: SAVED_STATE,
      find: "    if (uploads === undefined) return journal.append(lines);\n",
      replace: "    uploads?.catch(() => undefined);\n    if (lines.length >= 0) return journal.append(lines);\n",
      killer: POWER_CUT,
    },
    {
      name: "line-not-on-the-disk",
      promise: "a change is on the disk before it is acknowledged",
      file: JOURNAL,
      find: "      await this.#file.datasync();\n",
      replace: "",
      killer: POWER_CUT,
    },
    {
      name: "snapshot-of-another-moment",
      promise: "a snapshot ends where the new journal begins",
      file: SAVED_STATE,
      find: "      handover = before && this.#append(before, last);\n",
      replace: "      handover = before && this.#append(before, []);\n",
      killer: POWER_CUT,
    },
    {
      name: "new-journal-ahead-of-the-old-one",
      promise: "no end leaves a later change without an earlier one, be they in two journals",
      file: SAVED_STATE,
      find: "      if (handover !== undefined) next.follow(handover);\n",
      replace: "",
      killer: POWER_CUT,
    },
    {
      name: "journal-goes-on-without-what-it-follows",
      promise: "a journal that follows another takes nothing when that one's end cannot be written",
      file: JOURNAL,
      find: "before.catch((error: unknown) => this.#fail(error));",
      replace: "before.catch(() => undefined);",
      killer: JOURNALS,
    },
    {
      name: "name-of-a-new-file-not-on-the-disk",
      promise: "what is written as a whole is found after a power cut by its name",
      file: DURABLE,
      find: "  await syncFolder(dirname(path));\n}\n\nasync function writeWhole",
      replace: "}\n\nasync function writeWhole",
      killer: POWER_CUT,
    },
    {
      name: "name-of-a-new-journal-not-on-the-disk",
      promise: "a journal is found after a power cut from its first line on",
      file: DURABLE,
      find: "    await syncFolder(dirname(path));\n",
      replace: "",
      killer: POWER_CUT,
    },
    {
      name: "folder-not-on-the-disk",
      promise: "a folder that a start made is there after a power cut",
      file: MAKE_FOLDER,
      find: "  await syncFolder(parent);\n",
      replace: "",
      killer: POWER_CUT,
    },
    {
      name: "folder-of-one-that-died-taken-for-written",
      promise: "a folder that was there before a start is there after a power cut, whoever made it",
      file: MAKE_FOLDER,
      find: "    await syncFolder(parent);\n",
      replace: "    if (made.length > 0) await syncFolder(parent);\n",
      killer: { ...POWER_CUT, only: "where a folder was there before the start" },
    },
    {
      name: "folders-of-a-start-that-could-not-sync-them",
      promise: "a start that fails takes away the folders that it made",
      file: MAKE_FOLDER,
      find: "    await removeFolders(made);\n",
      replace: "",
      killer: { ...POWER_CUT, only: "has none that the start made" },
    },
    {
      name: "end-of-the-saving-told-as-harmless",
      promise: "a disk that refuses the end of a journal is told as the end of the saving",
      file: SAVED_STATE,
      find: "      throw this.#failed(error); // the new",
      replace: "      throw error; // the new",
      killer: { ...FAILED_SNAPSHOT, only: "ends the saving, which is told" },
    },
    {
      name: "journal-left-open",
      promise: "a journal that another takes the place of is closed, also where the disk refuses its end",
      file: SAVED_STATE,
      find: "    } finally {\n      await before?.close();\n    }\n",
      replace: "    }\n    await before?.close();\n",
      killer: { ...FAILED_SNAPSHOT, only: "neither of them stays open" },
    },
    {
      name: "upload-of-one-that-died-taken-for-written",
      promise: "an upload whose name a process that died left is on the disk before a line tells of it",
      file: "src/emulator/persistence/bytes-folder.ts",
      find: "    await syncFolder(this.#folder);\n",
      replace: "",
      killer: { ...POWER_CUT, only: "after a process that died" },
    },
    {
      name: "sql-into-files-that-nobody-finds",
      promise: "no SQL is acknowledged of a database whose folder was removed while it was open",
      file: "src/emulator/postgres/folders.ts",
      find: "    if (!(await isThere(folder))) throw new Error(`${folder} was removed while",
      replace: '    if (folder === "") throw new Error(`${folder} was removed while',
      killer: { ...DAMAGE, only: "takes no SQL either" },
    },
    {
      name: "removed-folder-told-as-one-that-cannot-be-written",
      promise: "who removed a part of the folder is told so",
      file: "src/emulator/persistence/state-error.ts",
      find: '  if (code === "ENOENT") return damaged',
      replace: '  if (code === "EISDIR") return damaged',
      killer: { ...DAMAGE, only: "is told by its path" },
    },
    {
      name: "file-system-without-synced-folders-refused",
      promise: "a file system that syncs no folder keeps a state all the same",
      file: DURABLE,
      find: "NOT_OFFERED.has(error.code)",
      replace: "NOT_OFFERED.has(error.message)",
      killer: { ...POWER_CUT, only: "syncs no folder" },
    },
    {
      name: "refusal-to-sync-a-folder-not-heard",
      promise: "a disk that cannot sync a folder is told",
      file: DURABLE,
      find: "    if (!(error instanceof Error",
      replace: "    if (error === undefined && !(error instanceof Error",
      killer: { ...POWER_CUT, only: "cannot sync" },
    },
  ],
};
