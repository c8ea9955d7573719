import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run } from "../support/programs/run.ts";

/** The programs of the workshop tell in one line what is wrong with how they were called, and end with 2. */

it.each([
  { program: "bench/main.ts", args: ["bogus"], says: "bench: unknown bench 'bogus'" },
  { program: "bench/main.ts", args: ["--bogus"], says: "bench: Unknown option '--bogus'" },
  {
    program: "bench/main.ts",
    args: ["queue", "-o", "xml"],
    says: "bench: --output: expected table or json, not 'xml'",
  },
  { program: "bench/main.ts", args: ["queue", "--projects", "0"], says: "bench: --projects: expected a whole number" },
  { program: "bench/main.ts", args: [], says: "bench: expected the name of a bench" },
  { program: "test/support/control-plane/dev.ts", args: ["--bogus"], says: "control-plane: Unknown option '--bogus'" },
  { program: "tools/main.ts", args: ["--bogus"], says: "tools: unknown argument '--bogus'" },
])("$program $args", async ({ program, args, says }) => {
  const path = fileURLToPath(new URL(`../../${program}`, import.meta.url));
  const { code, stderr } = await run(process.execPath, [path, ...args]);
  const [first, second] = stderr.split("\n");
  expect([code, first, second]).toEqual([2, expect.stringContaining(says), expect.stringMatching(/^npm run /u)]);
});
