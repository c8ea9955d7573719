import type { Section } from "../mutant.ts";

const REFUSALS = "test/emulator/every-refusal.test.ts";
const refusals = (only: string) => ({ project: "loopback", files: [REFUSALS], only }) as const;
const LOADED = {
  project: "loopback",
  files: ["test/emulator/save-and-load-every-call.test.ts"],
  only: "after each exchange of OAuth|after each control call",
} as const;

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
      file: "src/emulator/persistence/saved-state.ts",
      find: "JSON.stringify(changes.map(",
      replace: 'JSON.stringify(changes.filter(({ table }) => table !== "publishedJwks").map(',
      killer: LOADED,
    },
    {
      name: "table-left-out-of-the-snapshot",
      promise: "a snapshot holds each row of each table",
      file: "src/emulator/persistence/saved-state.ts",
      find: "[...this.#tables.values()].flatMap((table) =>",
      replace: '[...this.#tables.values()].filter(({ name }) => name !== "oauthRequests").flatMap((table) =>',
      killer: LOADED,
    },
    {
      name: "set-anew-in-its-old-place",
      promise: "rows come back in the order in which they were held",
      file: "src/emulator/persistence/saved-state.ts",
      find: "if (value === null) rows.delete(`${table} ${key}`);",
      replace: "if (value === null && table === key) rows.delete(`${table} ${key}`);",
      killer: LOADED,
    },
    {
      name: "refresh-token-good-again-after-a-restart",
      promise: "what a start loads is what was held, all that OAuth issued too",
      file: "src/emulator/state/table.ts",
      find: "    this.#put(key, row);\n    this.#changes.record({ table: this.name, key, value: row });",
      replace:
        '    const known = this.#rows.has(key) && this.name === "refreshTokens";\n    this.#put(key, row);\n    if (!known) this.#changes.record({ table: this.name, key, value: row });',
      killer: LOADED,
    },
  ],
};
