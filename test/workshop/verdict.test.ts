import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunResult } from "../support/programs/run.ts";
import { run } from "../support/programs/run.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "verdict-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text, { mode });
}

describe(".ci/run", () => {
  /** An npm that says what it was asked, and does what a test wants of `npm test`. */
  const npm = (test: string, fails: string): string =>
    `#!/bin/sh\necho "npm $*" >> asked\ncase "$*" in ${fails}) exit 1;; test) ${test};; esac\n`;
  const summary = (line: string): string => `mkdir -p .cache; echo '${line}' > .cache/test-summary.txt`;

  async function ci(test: string, fails = "nothing"): Promise<RunResult> {
    cpSync(join(repository, ".ci/run"), join(folder, ".ci/run"));
    write("path/npm", npm(test, fails), 0o755);
    return run("bash", [join(folder, ".ci/run")], { env: { PATH: `${folder}/path:${process.env["PATH"] ?? ""}` } });
  }
  const lastLine = (result: RunResult): string | undefined => result.stdout.trimEnd().split("\n").at(-1);

  it.each([
    {
      why: "all is well",
      test: summary("12 passed, 0 failed"),
      fails: "nothing",
      says: "12 passed, 0 failed",
      code: 0,
    },
    {
      why: "skipped tests",
      test: summary("9 passed, 0 failed, 3 skipped"),
      fails: "nothing",
      says: "9 passed, 0 failed",
      code: 0,
    },
    {
      why: "tests fail",
      test: `${summary("10 passed, 2 failed")}; exit 1`,
      fails: "nothing",
      says: "10 passed, 2 failed",
      code: 1,
    },
    {
      why: "the check fails",
      test: summary("12 passed, 0 failed"),
      fails: "'run check'",
      says: "12 passed, 1 failed",
      code: 1,
    },
    {
      why: "both fail",
      test: `${summary("10 passed, 2 failed")}; exit 1`,
      fails: "'run check'",
      says: "10 passed, 3 failed",
      code: 1,
    },
    { why: "tests cannot start", test: "exit 1", fails: "nothing", says: "0 passed, 1 failed", code: 1 },
    { why: "no test ran", test: "exit 0", fails: "nothing", says: "0 passed, 0 failed", code: 1 },
    { why: "packages cannot be installed", test: "exit 0", fails: "ci", says: "0 passed, 1 failed", code: 1 },
  ])("ends with the verdict when $why", async ({ test, fails, says, code }) => {
    const result = await ci(test, fails);
    expect(lastLine(result)).toBe(says);
    expect(result.code).toBe(code);
  });

  it("runs what the README says, and the demo where there is one", async () => {
    write("demo/main.ts", "");
    await ci(summary("1 passed, 0 failed"));
    const asked = readFileSync(join(folder, "asked"), "utf8").trim().split("\n");
    const beside = "npm run -s tools";
    expect(asked.slice(asked.indexOf("npm ci"), asked.indexOf("npm test"))).toContain(beside);
    const steps = ["npm ci", "npm run check", "npm run build", "npm test", "npm run demo -- --once"];
    expect(asked.filter((one) => one !== beside)).toEqual(steps);
  });

  it("does not count the tests of an earlier run, nor tells its failures", async () => {
    write(".cache/test-summary.txt", "99 passed, 0 failed\n");
    write(".cache/test-failures.txt", "FAILED long ago\n");
    const result = await ci("exit 1");
    expect(lastLine(result)).toBe("0 passed, 1 failed");
    expect(result.stdout).not.toContain("long ago");
  });

  it("tells before what failed which files took longest", async () => {
    const left =
      "mkdir -p .cache; echo '  7 s  slow.test.ts' > .cache/test-longest.txt; echo 'FAILED b' > .cache/test-failures.txt";
    const { stdout } = await ci(`${left}; ${summary("1 passed, 1 failed")}; exit 1`);
    expect(stdout).toContain("\nWhat took longest:\n  7 s  slow.test.ts\nFAILED b\n");
    expect((await ci("exit 1")).stdout).not.toContain("slow.test.ts");
  });

  it("tells right before the verdict what failed, since of a long output the end is kept", async () => {
    const failure = "mkdir -p .cache; echo 'FAILED a.test.ts > b' > .cache/test-failures.txt";
    const { stdout } = await ci(`${failure}; ${summary("1 passed, 1 failed")}; exit 1`);
    expect(stdout.trimEnd().split("\n").slice(-4)).toEqual([
      "FAILED a.test.ts > b",
      "",
      expect.stringMatching(/^after \d+s$/u),
      "1 passed, 1 failed",
    ]);
  });
});

describe("the summary of a test run", () => {
  interface Summarised {
    readonly summary: string;
    readonly failures: string;
    readonly longest: string;
  }

  async function summarised(tests: string): Promise<Summarised> {
    const modules = join(folder, "node_modules");
    if (!existsSync(modules)) symlinkSync(join(repository, "node_modules"), modules);
    write("a.test.ts", `import { afterAll, it } from "vitest";\nvoid afterAll;\n${tests}\n`);
    write(
      "vitest.config.ts",
      `import { SummaryReporter } from ${JSON.stringify(join(repository, "test/support/summary-reporter.ts"))};\n` +
        "export default { test: { reporters: [new SummaryReporter()] } };\n",
    );
    await run(join(repository, "node_modules/.bin/vitest"), ["run"], { cwd: folder });
    const left = (file: string): string => readFileSync(join(folder, ".cache", file), "utf8");
    return {
      summary: left("test-summary.txt").trim(),
      failures: left("test-failures.txt"),
      longest: left("test-longest.txt"),
    };
  }

  it.each([
    { why: "tests that pass", tests: 'it("a", () => {}); it("b", () => {});', says: "2 passed, 0 failed" },
    {
      why: "one that fails",
      tests: 'it("a", () => {}); it("b", () => { throw new Error("x"); });',
      says: "1 passed, 1 failed",
    },
    {
      why: "one that is skipped",
      tests: 'it("a", () => {}); it("b", ({ skip }) => skip());',
      says: "1 passed, 0 failed, 1 skipped",
    },
    { why: "a file that does not load", tests: 'it("a", () => {}); throw new Error("x");', says: "0 passed, 1 failed" },
    {
      why: "a hook that fails after all tests passed",
      tests: 'it("a", () => {}); afterAll(() => { throw new Error("x"); });',
      says: "1 passed, 1 failed",
    },
    {
      why: "an error that no test caught",
      tests: 'it("a", async () => { void Promise.reject(new Error("x")); await new Promise(setImmediate); });',
      says: "1 passed, 1 failed",
    },
  ])("counts $why", async ({ tests, says }) => {
    expect((await summarised(tests)).summary).toBe(says);
  });

  it("tells how long the files took that took longest", async () => {
    const { longest } = await summarised('it("a", () => {});');
    expect(longest).toMatch(/^ +\d+ s {2}a\.test\.ts\n$/u);
  });

  it("names what failed, tests and files, with the end of what they say", async () => {
    const said = Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\\n");
    const { failures } = await summarised(`it("b", () => { throw new Error("${said}"); }); it("c", () => {});`);
    expect(failures).toMatch(/^FAILED a\.test\.ts > b\n {2}line 12\n[^]*line 19\n$/u);
    expect((await summarised('throw new Error("does not load");')).failures).toBe(
      "FAILED a.test.ts\n  does not load\n",
    );
  });
});
