import type { Section } from "../mutant.ts";

const REFUSALS = "test/emulator/every-refusal.test.ts";
const refusals = (only: string) => ({ project: "loopback", files: [REFUSALS], only }) as const;

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
  ],
};
