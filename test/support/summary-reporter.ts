import { mkdirSync, writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestModule } from "vitest/node";

/** Where the summary of the last run is left for .ci/run. */
const summaryFile = ".cache/test-summary.txt";
/** Where what failed is left for it, with the end of what each says: a long log keeps its end alone. */
const failuresFile = ".cache/test-failures.txt";
/** Where the files that took longest are left for it, with the seconds that each took: where the time of a run goes. */
const longestFile = ".cache/test-longest.txt";
const LONGEST = 5;
/** How many failures are told there, and how much of each: lines, and characters of a line. */
const TOLD = 20;
const TOLD_LINES = 8;
const TOLD_WIDTH = 2000;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

function add(counts: Counts, testModule: TestModule): void {
  let failedTests = 0;
  for (const test of testModule.children.allTests()) {
    const { state } = test.result();
    if (state === "passed") counts.passed += 1;
    else if (state === "failed") failedTests += 1;
    else counts.skipped += 1;
  }
  // A file that cannot be loaded, or whose hook fails outside of any test, is a failure without a failed test.
  counts.failed += testModule.ok() ? failedTests : Math.max(failedTests, 1);
}

interface Failure {
  readonly name: string;
  readonly errors: readonly { readonly message: string }[];
}

function failuresOf(testModule: TestModule): readonly Failure[] {
  const tests = [...testModule.children.allTests("failed")];
  const suites = [testModule, ...testModule.children.allSuites()];
  return [
    ...tests.map((test) => ({
      name: `${testModule.relativeModuleId} > ${test.fullName}`,
      errors: test.result().errors ?? [],
    })),
    ...suites.map((suite) => ({ name: testModule.relativeModuleId, errors: suite.errors() })),
  ].filter(({ errors }) => errors.length > 0);
}

function told({ name, errors }: Failure): string {
  const lines = errors.flatMap(({ message }) =>
    stripVTControlCharacters(message).trimEnd().split("\n").slice(-TOLD_LINES),
  );
  return [`FAILED ${name}`, ...lines.map((line) => `  ${line.slice(0, TOLD_WIDTH)}`)].join("\n");
}

function longest(testModules: readonly TestModule[]): readonly string[] {
  return testModules
    .map((testModule) => ({ name: testModule.relativeModuleId, ms: testModule.diagnostic().duration }))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, LONGEST)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(0).padStart(5)} s  ${name}`);
}

/** Leaves "N passed, N failed" in a file, in the words that .ci/run ends with, and in others what failed and what took longest. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const testModule of testModules) add(counts, testModule);
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
    mkdirSync(".cache", { recursive: true });
    writeFileSync(summaryFile, `${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
    const failures = testModules.flatMap(failuresOf);
    const more = failures.length > TOLD ? [`and ${failures.length - TOLD} more`] : [];
    writeFileSync(failuresFile, [...failures.slice(0, TOLD).map(told), ...more, ""].join("\n"));
    writeFileSync(longestFile, [...longest(testModules), ""].join("\n"));
  }
}
