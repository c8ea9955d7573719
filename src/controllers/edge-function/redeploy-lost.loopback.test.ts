import { afterEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { deployed, RedeployBench, type Write } from "../../../test/support/controllers/redeploy-bench.ts";

/** K-36: exactly one deployment of each function for a change of its environment, after the write, whatever is lost between the edit and the rest. */

let bench: RedeployBench | undefined;

async function another(): Promise<RedeployBench> {
  await bench?.[Symbol.asyncDispose]();
  bench = await RedeployBench.open();
  return bench;
}

afterEach(async () => {
  await bench?.[Symbol.asyncDispose]();
  bench = undefined;
});

function deployments(writes: readonly Write[]): readonly Write[] {
  return writes.filter(([operation]) => operation === "functions.deploy");
}

/** Names of the functions that events tell to have been deployed again, as often as they do. */
function tellings(events: RedeployBench["life"]["events"]): readonly string[] {
  const told = events.filter(({ reason }) => reason === "Redeployed");
  return told.map(({ regarding }) => regarding.metadata.name).toSorted();
}

/** Everything is at rest, and says so. */
function expectRest(of: RedeployBench): void {
  const { environment } = of.status("secrets", "env");
  expect(environment).toEqual({ revision: expect.any(String) });
  for (const name of ["one", "two"]) {
    const status = of.status("edgefunctions", name);
    expect(status).toMatchObject({ environment: [{ name: `${NAMESPACE}/env`, ...Object(environment) }] });
    expect(status).not.toHaveProperty("redeployment");
    expect(of.conditions("edgefunctions", name)).toEqual(["Ready=True"]);
  }
}

describe("[K-36] each function is deployed again once, after the write,", () => {
  it("whatever request the life that began it ended at", { timeout: 120_000 }, async () => {
    for (let survived = 1, whole = false; !whole; survived += 1) {
      const of = await another();
      await of.begin(survived);
      const since = await of.last();
      await of.rest(() => of.rotate());
      whole = of.life.dead ? false : survived > 10;
      await of.begin();
      await of.rest();
      const writes = await of.writes(since);
      expect(writes[0], `died after ${survived} requests`).toEqual(["secrets.create", ""]);
      expect(deployments(writes), `died after ${survived} requests`).toEqual(deployed("one", "two"));
      expectRest(of);
    }
  });

  it.each(["refused", "lost"] as const)("whatever write to the apiserver is %s", { timeout: 120_000 }, async (kind) => {
    let whole = 0;
    for (let skip = 0; skip <= whole; skip += 1) {
      const of = await another();
      const since = await of.last();
      const before = of.theatre.kubernetes.writes;
      of.theatre.kubernetes.failWrite(skip, kind);
      const told = of.life.events.length;
      await of.rest(() => of.rotate());
      whole = of.theatre.kubernetes.writes - before;
      expect(deployments(await of.writes(since)), `write ${skip}`).toEqual(deployed("one", "two"));
      expect(tellings(of.life.events.slice(told)), `write ${skip}`).toEqual(["one", "two"]);
      expectRest(of);
    }
    expect(whole).toBeGreaterThan(5);
  });

  it.each([
    { operation: "secrets.create", fault: { kind: "reset", phase: "before" } },
    { operation: "secrets.create", fault: { kind: "reset", phase: "after" } },
    { operation: "secrets.create", fault: { kind: "status", status: 400 } },
    { operation: "functions.deploy", fault: { kind: "reset", phase: "before" } },
    { operation: "functions.deploy", fault: { kind: "reset", phase: "after" } },
    { operation: "functions.deploy", fault: { kind: "status", status: 500, phase: "after" } },
    { operation: "functions.deploy", fault: { kind: "status", status: 409 } },
    { operation: "functions.get", fault: { kind: "reset" } },
    { operation: "functions.list", fault: { kind: "reset" } },
    { operation: "secrets.list", fault: { kind: "reset" } },
  ] as const)("where the answer to $operation is $fault", async ({ operation, fault }) => {
    const of = await another();
    const before = await of.versions();
    await of.theatre.emulator.control.faults.add({ operation, fault });
    await of.rest(() => of.rotate());
    const after = await of.versions();
    expect(Object.keys(after).map((slug) => (after[slug] ?? 0) - (before[slug] ?? 0))).toEqual([1, 1]);
    expectRest(of);
  });

  it("where a deployment that got no answer arrives after all while it is in doubt", async () => {
    const of = await another();
    const before = await of.versions();
    await of.theatre.emulator.control.faults.add({ operation: "functions.deploy", fault: { kind: "reset" } });
    await of.rest(() => of.rotate(), 30_000);
    const doubted = ["one", "two"].find((name) => of.conditions("edgefunctions", name).includes("Reconciling=True"));
    if (doubted === undefined) throw new Error("no deployment is in doubt");
    const files = [{ path: "index.ts", content: doubted === "one" ? "1" : "2" }];
    const body = { metadata: { entrypoint_path: "index.ts", verify_jwt: true }, files };
    await of.client.functions.deploy({ ref: of.ref, slug: doubted, body });
    await of.rest();
    const after = await of.versions();
    expect(Object.keys(after).map((slug) => (after[slug] ?? 0) - (before[slug] ?? 0))).toEqual([1, 1]);
    expectRest(of);
  });
});
