import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { LEASE_TIMES } from "../../src/runtime/leader-election.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { candidate } from "../support/runtime/candidate.ts";
import { Between, LEASE, type Process } from "../support/stopping/between.ts";

/**
 * When requests reach the servers, against what the Lease itself says of its holders (engine.md §8): none starts later than the renew deadline
 * after the last successful renewal, and none after the next holder's time began. That holder keeps the rules, as any of our processes.
 */

/** From a request's start in the operator to its arrival at a relay on a busy machine, milliseconds: less than half of what others wait. */
const TRANSIT_MS = 2000;

let between: Between;

beforeAll(async () => {
  between = await Between.open();
  // Or the looks that are asked for would wait for budget, and nothing be there to be sent.
  await between.emulator.control.settings.patch({ requestsPerMinute: 0 });
}, 180_000);

afterAll(async () => {
  await between[Symbol.asyncDispose]();
});

afterEach(() => between.clear());

const instant = z.string().transform((text) => Date.parse(text));
const leaseSchema = z.object({
  spec: z.object({ holderIdentity: z.string(), acquireTime: instant, renewTime: instant }),
});

/** The Lease as it stands, its times as milliseconds of the epoch. */
async function lease() {
  const args = ["--namespace=kube-system", "get", "lease", "baas-operator", "--output=json"];
  return leaseSchema.parse(JSON.parse(succeeded(await kubectl(between.plane, args)))).spec;
}

/** Every request that reached either server after a time of the epoch, but for those for the Lease: "+123 ms GET /v1/projects". */
function requestsAfter(epochMs: number): readonly string[] {
  return between.traffic.requests
    .map(({ label, atMs }) => ({ label, lateMs: performance.timeOrigin + atMs - epochMs }))
    .filter(({ label, lateMs }) => lateMs > 0 && !label.includes(LEASE))
    .map(({ label, lateMs }) => `+${Math.round(lateMs)} ms ${label}`);
}

/** Asks for a look at every Project of a namespace again and again, so that there is always something to send. */
function edits(namespace: string): AsyncDisposable {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    for (let n = 0; !stop.signal.aborted; n += 1) {
      const projects = [`--namespace=${namespace}`, "projects", "--all"];
      await kubectl(between.plane, ["annotate", ...projects, "--overwrite", `baas.dev/reconcile-at=${n}`]);
    }
  };
  const ended = run();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

it.each([
  {
    how: "its renewals have no answer",
    // To the end of its time it does what is asked of it.
    sendsUntilMs: LEASE_TIMES.renewDeadlineMs / 2,
    lose: () => void between.traffic.keep(new RegExp(`^(?:PUT|GET) ${LEASE}/baas-operator$`, "u"), "before"),
    back: () => undefined,
  },
  {
    how: "it is frozen for longer, and thawed",
    sendsUntilMs: -LEASE_TIMES.retryMs,
    lose: (process: Process) => process.suspend(),
    back: (process: Process) => process.resume(),
  },
])("no request starts when its time is over, or in that of another: $how", async ({ sendsUntilMs, lose, back }) => {
  const process = between.start();
  await between.said(process, "workers started");
  const namespace = await between.projects("a", "b", "c");
  // All of its own requests are answered but the one below: else every run would wait for an answer, and none have anything to send.
  const ready = [`--namespace=${namespace}`, "wait", "--for=condition=Ready", "projects", "--all", "--timeout=60s"];
  succeeded(await kubectl(between.plane, ready));
  await using _edits = edits(namespace);
  const create = between.traffic.keep(/^POST \/v1\/projects$/u, "after");
  await between.projects("d");
  await create;
  lose(process);
  const { renewTime, holderIdentity: first } = await lease();
  const path = between.plane.kubeconfigPath;
  await using next = candidate("next", { kind: "file", path }, { namespace: "kube-system", name: "baas-operator" });
  await next.acquired;
  const { acquireTime, holderIdentity } = await lease();
  expect(holderIdentity).toBe(next.identity);
  expect(holderIdentity).not.toBe(first);
  // What it waited for is answered now, and there is more to do than ever.
  back(process);
  between.traffic.letGo();
  expect(await process.exited).toEqual({ code: 1, signal: null });
  expect(requestsAfter(renewTime + sendsUntilMs)).not.toEqual([]);
  expect(requestsAfter(renewTime + LEASE_TIMES.renewDeadlineMs + TRANSIT_MS)).toEqual([]);
  expect(requestsAfter(acquireTime)).toEqual([]);
  expect(acquireTime - renewTime).toBeGreaterThanOrEqual(LEASE_TIMES.durationMs);
});
