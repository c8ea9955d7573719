import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { eventually } from "../support/stage/eventually.ts";
import { Between, LEASE, type Noted, type Process } from "../support/stopping/between.ts";

/**
 * A process that is asked to stop, or loses its lease, at each step of its life (engine.md §8): no run begins after it, nothing is written
 * when the time to drain is over, and it ends within its grace time with the code that says why.
 */

/** The time to drain, and all that may come after it: a run's notice, outputs, the lease (src/runtime/manager.ts), milliseconds. */
const DRAIN_MS = 15_000;
/** `terminationGracePeriodSeconds` of the chart, milliseconds. */
const GRACE_MS = 45_000;
/** What a busy machine may take for what takes no time, milliseconds. */
const SOON_MS = 10_000;

let between: Between;

beforeAll(async () => {
  between = await Between.open();
}, 180_000);

afterAll(async () => {
  await between[Symbol.asyncDispose]();
});

afterEach(() => between.clear());

/** Requests that change something, but for the lease and for events, which are sent to the last. */
function writesAfter(atMs: number): readonly string[] {
  return between.traffic.requests.filter((one) => one.atMs > atMs && isWrite(one)).map(({ label }) => label);
}

function isWrite({ label }: Noted): boolean {
  return !label.startsWith("GET ") && !label.includes(LEASE) && !label.includes("/events");
}

async function holder(): Promise<string> {
  const args = ["--namespace=kube-system", "get", "lease", "baas-operator", "--output=jsonpath={.spec.holderIdentity}"];
  return (await kubectl(between.plane, args)).stdout;
}

describe("asked to stop before it leads", () => {
  it.each([
    { when: "while it asks which cluster this is", kept: /^GET \/api\/v1\/namespaces\/kube-system$/u },
    { when: "while its caches are filled", kept: /^GET \/apis\/baas\.dev\/v1alpha1\/projects$/u },
    { when: "while it looks for the lease", kept: new RegExp(`^GET ${LEASE}/baas-operator$`, "u") },
    { when: "while it takes the lease", kept: new RegExp(`^POST ${LEASE}$`, "u") },
  ])("ends at once with code 0, having written nothing: $when", async ({ kept }) => {
    const caught = between.traffic.keep(kept, "before");
    const process = between.start();
    await caught;
    const since = process.terminate();
    expect(await process.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - since).toBeLessThan(SOON_MS);
    expect(writesAfter(0)).toEqual([]);
  });

  it("ends at once with code 0 while another process leads, and leaves the lease to that one", async () => {
    await between.takeLease("somebody-else");
    const process = between.start();
    await between.said(process, "waiting for the lease");
    await between.said(process, "the lease is held by another process");
    const since = process.terminate();
    expect(await process.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - since).toBeLessThan(SOON_MS);
    expect([writesAfter(0), await holder()]).toEqual([[], "somebody-else"]);
  });
});

describe("asked to stop while it works", () => {
  /** Two workers, one within a call to the platform, one within a write to the cluster, and a third Project in the queue; what those for edits had is done. */
  async function busy(phase: "before" | "after"): Promise<{ readonly process: Process; readonly waits: string }> {
    const create = between.traffic.keep(/^POST \/v1\/projects$/u, phase);
    const patch = between.traffic.keep(/^PATCH .*\/projects\/b(?:\/status)?$/u, phase);
    const process = between.start("--workers", "2");
    await between.said(process, "workers started");
    await between.projects("a");
    await create;
    const namespace = await between.projects("b", "c");
    await patch;
    const held = `PATCH /api/v1/namespaces/${namespace}/secrets/token`;
    await eventually(held, async () => between.traffic.requests.find(({ label }) => label === held));
    return { process, waits: `/namespaces/${namespace}/projects/c` };
  }

  it("lets runs under way end, begins none, tells what happened, and gives the lease up", async () => {
    const { process, waits } = await busy("after");
    const since = process.terminate();
    await between.said(process, "ending: stopped");
    between.traffic.letGo();
    expect(await process.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - since).toBeLessThan(DRAIN_MS);
    expect(process.logs()).not.toContain("cut off");
    const after = between.traffic.requests.filter(({ atMs }) => atMs > since).map(({ label }) => label);
    expect(after.filter((label) => label.includes(waits))).toEqual([]);
    expect(after.some((label) => /^PATCH .*\/projects\/a\/status$/u.test(label))).toBe(true);
    expect(after.some((label) => /^POST .*\/events$/u.test(label))).toBe(true);
    expect(await holder()).toBe("");
  });

  it.each(["before", "after"] as const)(
    "cuts off what does not end in time, and writes nothing after that: kept %s its effect",
    async (phase) => {
      const { process, waits } = await busy(phase);
      const since = process.terminate();
      expect(await process.exited).toEqual({ code: 0, signal: null });
      const tookMs = performance.now() - since;
      expect(tookMs).toBeGreaterThanOrEqual(DRAIN_MS - 1000);
      expect(tookMs).toBeLessThan(GRACE_MS);
      expect(process.logs()).toContain("runs that did not end in time were cut off");
      expect(writesAfter(since)).toEqual([]);
      expect(between.traffic.requests.filter(({ atMs, label }) => atMs > since && label.includes(waits))).toEqual([]);
    },
  );
});

describe("asked to stop while one request is under way (docs/adr/0007)", () => {
  const list = { kept: /^GET \/apis\/baas\.dev\/v1alpha1\/projects$/u, expire: "/v1alpha1/projects?" };
  const flights = [
    { flight: "the creation of a project", kept: /^POST \/v1\/projects$/u, ends: [/^PATCH .*\/projects\/a\/status$/u] },
    { flight: "a write of a status", kept: /^PATCH .*\/projects\/a\/status$/u, ends: [] },
    { flight: "the list after a watch that expired", ...list, ends: [] },
  ] as const;

  /** An operator with one request under way, and the end of it asked for; a Project that is applied then is nobody's any more. */
  async function asked(flight: { readonly kept: RegExp; readonly expire?: string }) {
    const process = between.start();
    await between.said(process, "workers started");
    const caught = between.traffic.keep(flight.kept, "after");
    await between.projects("a");
    if (flight.expire !== undefined) between.traffic.expire(flight.expire);
    await caught;
    const since = process.terminate();
    await between.said(process, "ending: stopped");
    const late = await between.projects("late");
    return { process, since, late };
  }

  it.each(flights)(
    "its run may end its writes, then the lease is given up, and that was the last: $flight",
    async (flight) => {
      const { process, since, late } = await asked(flight);
      between.traffic.letGo();
      expect(await process.exited).toEqual({ code: 0, signal: null });
      expect(performance.now() - since).toBeLessThan(GRACE_MS);
      const after = between.traffic.requests.filter(({ atMs }) => atMs > since).map(({ label }) => label);
      expect(after.at(-1)).toBe(`PUT ${LEASE}/baas-operator`);
      expect([await holder(), after.filter((label) => label.includes(late))]).toEqual(["", []]);
      expect(flight.ends.filter((write) => !after.some((label) => write.test(label)))).toEqual([]);
      expect(process.logs()).not.toContain("cut off");
    },
  );

  it("ends without a list that is never answered", async () => {
    const { process, since } = await asked(list);
    expect(await process.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - since).toBeLessThan(DRAIN_MS);
    expect(between.traffic.requests.at(-1)?.label).toBe(`PUT ${LEASE}/baas-operator`);
  });
});

describe("a lease that is lost while it works", () => {
  it.each([
    { how: "another process takes it", lose: () => between.takeLease("somebody-else") },
    {
      how: "it cannot be renewed any more",
      lose: () => between.traffic.keep(new RegExp(`^(?:PUT|GET) ${LEASE}/baas-operator$`, "u"), "before"),
    },
  ])("ends with code 1, and neither server is written to after it: $how", async ({ lose }) => {
    const create = between.traffic.keep(/^POST \/v1\/projects$/u, "after");
    const process = between.start();
    await between.said(process, "workers started");
    const namespace = await between.projects("a", "b", "c");
    await create;
    await lose();
    await between.said(process, "leadership lost");
    const since = performance.now();
    // The answers that runs waited for come now, and there is an edit.
    await between.apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "token", namespace },
      stringData: { more: "x" },
    });
    between.traffic.letGo();
    expect(await process.exited).toEqual({ code: 1, signal: null });
    expect(performance.now() - since).toBeLessThan(GRACE_MS);
    expect(process.logs()).toContain("leadership lost");
    const after = between.traffic.requests.filter(({ atMs, label }) => atMs > since && !label.startsWith("GET "));
    expect(after.map(({ label }) => label)).toEqual([]);
  });
});

describe("its probes", () => {
  it("tell the truth at each step: while caches are filled, as a standby, at work, and while it drains", async () => {
    const caught = between.traffic.keep(/^GET \/apis\/baas\.dev\/v1alpha1\/projects$/u, "before");
    await between.takeLease("somebody-else");
    const process = between.start();
    await caught;
    const [, url = ""] = /"health":"([^"]+)"/u.exec(process.logs()) ?? [];
    const probes = async () =>
      Promise.all(["/readyz", "/healthz"].map(async (path) => `${(await fetch(url + path)).status}`));
    const ready = () => eventually("ready", async () => ((await probes())[0] === "200" ? true : undefined));
    expect(await probes()).toEqual(["503", "200"]);
    expect(await (await fetch(`${url}/readyz`)).text()).toContain("waiting for the first list of projects.baas.dev");
    between.traffic.letGo();
    await ready();
    expect(process.logs()).not.toContain("workers started");
    expect(await probes()).toEqual(["200", "200"]);
    await between.said(process, "workers started");
    const create = between.traffic.keep(/^POST \/v1\/projects$/u, "after");
    const namespace = await between.projects("a");
    await create;
    expect(await probes()).toEqual(["200", "200"]);
    await between.unreachable(namespace);
    expect(await probes()).toEqual(["200", "200"]);
    process.terminate();
    await between.said(process, "ending: stopped");
    expect(await probes()).toEqual(["503", "200"]);
    between.traffic.letGo();
    expect(await process.exited).toEqual({ code: 0, signal: null });
  });
});
