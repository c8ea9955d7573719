import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { Killer } from "./mutant.ts";

/** How a run of tests ended. */
export type Verdict =
  | { readonly kind: "passed" }
  /** a test failed: which one */
  | { readonly kind: "failed"; readonly test: string }
  /** it took too long, as with a loop that never ends */
  | { readonly kind: "timedOut" }
  /** no test failed, and yet it did not pass: a file that cannot be loaded, or no test of that name */
  | { readonly kind: "broken"; readonly message: string };

/** The verdict of the first try that takes no longer than its limit, or of the last: one alone may be slow and pass. @param limitsMs of each try */
export async function decided(
  test: (timeoutMs: number) => Promise<Verdict>,
  limitsMs: readonly number[],
): Promise<Verdict> {
  let verdict: Verdict = { kind: "timedOut" };
  for (const limitMs of limitsMs) {
    if (verdict.kind !== "timedOut") break;
    verdict = await test(limitMs);
  }
  return verdict;
}

/** Vitest's report, as far as it is read. */
const reportSchema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

const REPORT = "mutants-report.json";

interface RunOptions {
  /** the copy that is tested */
  readonly folder: string;
  /** the tree that it was copied from: tests draw seeds of its commit */
  readonly root: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs the tests with the vitest of the copy, up to the first that fails. Rejects only with the signal's reason. */
export async function runTests({ project, files, only, environment }: Killer, options: RunOptions): Promise<Verdict> {
  const { folder, root, timeoutMs, signal } = options;
  const report = join(folder, REPORT);
  rmSync(report, { force: true });
  const filter = only === undefined ? [] : ["--testNamePattern", only];
  const reporting = ["--reporter=json", `--outputFile=${report}`, "--bail=1"];
  const child = spawn(
    process.execPath,
    [join(folder, "node_modules/vitest/vitest.mjs"), "run", "--project", project, ...reporting, ...filter, ...files],
    // A group of its own: whatever the tests started ends with them.
    {
      cwd: folder,
      env: { ...process.env, GIT_DIR: join(root, ".git"), ...environment },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    },
  );
  const kill = (): void => endGroup(child.pid);
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint = (complaint + text).slice(-2000)));
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    kill();
  }, timeoutMs);
  signal.addEventListener("abort", kill, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    signal.throwIfAborted();
    if (late.signal.aborted) return { kind: "timedOut" };
    return judge(code, existsSync(report) ? readFileSync(report, "utf8") : undefined, complaint.trim());
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended
  }
}

/** What vitest's exit code and report say. */
function judge(code: number | null, text: string | undefined, complaint: string): Verdict {
  if (text === undefined) return { kind: "broken", message: complaint || `vitest ended with ${code}` };
  const { testResults, numPassedTests } = reportSchema.parse(JSON.parse(text));
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (failed !== undefined) return { kind: "failed", test: `${basename(name)}: ${failed.fullName}` };
  }
  if (code === 0 && numPassedTests > 0) return { kind: "passed" };
  const messages = testResults.map(({ message }) => message).filter((message) => message !== "");
  return { kind: "broken", message: messages[0] ?? (complaint || "no test has run") };
}
