import { defineConfig } from "vitest/config";
import { SummaryReporter } from "./test/support/summary-reporter.ts";

/**
 * Files side by side of what comes second: end-to-end tests, which mostly wait (for leases, intervals, garbage collectors) and take less than half
 * of a core each, and the loopback tests after them.
 */
const WORKERS = 4;
/** More than the second that vitest waits for what is polled: on a busy machine that is nothing. */
const POLL = { timeout: 20_000 };

/**
 * unit: pure and fast, beside the sources. loopback: real sockets and processes of this machine, one or two programs at a time.
 * e2e: a real control plane, started once for the run (test/support/control-plane/e2e-setup.ts). matrix: the kill matrix, a control plane of
 * its own and hundreds of lives of the operator. soak: hours of edits and failures on a driven clock, as well on a control plane of its own.
 */
export default defineConfig({
  test: {
    reporters: ["default", new SummaryReporter()],
    // What was found is told whole: "expected [ …(2) ] to deeply equal []" tells nobody what went wrong in a run that is over.
    chaiConfig: { truncateThreshold: 2000 },
    projects: [
      {
        test: {
          name: "unit",
          include: ["{src,tools,demo}/**/*.test.ts"],
          exclude: ["**/*.loopback.test.ts"],
          // Pure tests leave nothing behind: workers load each module once, which is half of the time otherwise.
          isolate: false,
          maxWorkers: 2,
          // First and alone: their workers are not those of the others.
          sequence: { groupOrder: 0 },
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: "loopback",
          include: ["{src,tools,demo}/**/*.loopback.test.ts", "test/**/*.test.ts"],
          exclude: ["**/*.e2e.test.ts", "**/*.matrix.test.ts", "**/*.soak.test.ts"],
          // No module of ours keeps anything but PostgreSQL, compiled and initialised, which takes seconds.
          isolate: false,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: POLL },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/**/*.e2e.test.ts"],
          globalSetup: ["test/support/control-plane/e2e-setup.ts"],
          // Processes, not threads: tests here start and kill programs, and their signals must reach nobody else.
          pool: "forks",
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: POLL },
        },
      },
      {
        test: {
          name: "matrix",
          include: ["test/**/*.matrix.test.ts"],
          pool: "forks",
          maxWorkers: 1,
          // Last and alone: it keeps both cores busy, and what passes of driven time while it waits for them is hours.
          sequence: { groupOrder: 2 },
          testTimeout: 4 * 3_600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "soak",
          include: ["test/**/*.soak.test.ts"],
          pool: "forks",
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
          testTimeout: 3_600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
