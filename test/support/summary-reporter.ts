import { mkdirSync, writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Where the summary of the last run is left for .ci/run. */
const summaryFile = ".cache/test-summary.txt";

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

/** Leaves "N passed, N failed" in a file, in the words that .ci/run ends with. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const testModule of testModules) add(counts, testModule);
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
    mkdirSync(".cache", { recursive: true });
    writeFileSync(summaryFile, `${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
  }
}
