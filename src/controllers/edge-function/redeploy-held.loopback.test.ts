import { afterEach, beforeEach, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { inline, inShop, redeploying } from "../../../test/support/controllers/redeploy-bench.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** K-36, one run after the other: what becomes of a deployment that a run puts off, or finds made. */

let theatre: Theatre;
let life: Life;

function put(plural: string, kind: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function values(text: string): void {
  const metadata = { name: "values", namespace: NAMESPACE };
  const data = { A: Buffer.from(text).toString("base64") };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

async function settled(kind: string, name: string): Promise<void> {
  expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
}

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  values("1");
  put("projects", "Project", "shop", { organization: "acme" });
  put("edgefunctions", "EdgeFunction", "one", { ...inShop, ...inline("1") });
  put("edgefunctions", "EdgeFunction", "two", { ...inShop, ...inline("2") });
  put("secrets", "Secret", "env", redeploying("values"));
  life = await theatre.life();
  await settled("Project", "shop");
  await settled("Secret", "env");
  await settled("EdgeFunction", "one");
  await settled("EdgeFunction", "two");
});

afterEach(() => theatre[Symbol.asyncDispose]());

it("[K-36] a run that takes longer than a deployment is held for comes again at once, and not with the next drift check", async () => {
  values("2");
  await settled("Secret", "env");
  await theatre.pass(20_000); // so that the list is read anew
  const slow = { operation: "functions.list", fault: { kind: "delay", ms: 3000 } } as const;
  await theatre.emulator.control.faults.add(slow);
  const held = await life.runWhileTimePasses("EdgeFunction", "one");
  expect(held).toEqual({ kind: "done", result: { requeueAfterMs: 1, lane: "progress" } });
  await theatre.emulator.control.log.clear();
  await settled("EdgeFunction", "one");
  expect((await theatre.emulator.control.log.read({ operation: "functions.deploy" })).entries).toHaveLength(1);
});

it("[K-36] a deployment whose answer was lost is told of once, also where the run that finds it waits for its turn then", async () => {
  const { faults, log } = theatre.emulator.control;
  const told = (): readonly string[] =>
    life.events.filter(({ reason }) => reason === "Redeployed").map(({ note }) => note);
  values("2");
  await settled("Secret", "env");
  await life.run("EdgeFunction", "one"); // notices that it is to be deployed again
  await theatre.pass(20_000);
  await faults.add({ operation: "functions.deploy", fault: { kind: "reset", phase: "after" } });
  expect(await life.run("EdgeFunction", "one")).toMatchObject({ kind: "transient" });
  expect(told()).toEqual([]);
  values("3");
  await settled("Secret", "env");
  await theatre.pass(20_000);
  await log.clear();
  await faults.add({ operation: "functions.deploy", fault: { kind: "delay", ms: 5000 } });
  put("edgefunctions", "EdgeFunction", "two", { ...inShop, ...inline("another") });
  const two = life.run("EdgeFunction", "two");
  await expect.poll(async () => (await log.read({ operation: "functions.deploy" })).entries.length).toBe(1);
  expect(await life.run("EdgeFunction", "one")).toMatchObject({ kind: "waiting", untold: true });
  await theatre.pass(5000);
  await two;
  await settled("EdgeFunction", "one");
  expect(told()).toEqual([
    "found one deployed again as version 2 for its environment: Secret test/env",
    "deployed one again as version 3 for its environment: Secret test/env",
  ]);
});

it("[K-36] a deployment in doubt is not taken for made by the version that settings of several functions raise", async () => {
  const { faults, log } = theatre.emulator.control;
  values("2");
  await settled("Secret", "env");
  await life.run("EdgeFunction", "one"); // notices that it is to be deployed again
  put("edgefunctions", "EdgeFunction", "one", { ...inShop, ...inline("1"), verifyJwt: false });
  put("edgefunctions", "EdgeFunction", "two", { ...inShop, ...inline("2"), verifyJwt: false });
  expect(await life.run("EdgeFunction", "one")).toMatchObject({ kind: "waiting", reason: "Updating" });
  await theatre.pass(20_000);
  await faults.add({ operation: "functions.deploy", fault: { kind: "reset", phase: "before" } });
  expect(await life.run("EdgeFunction", "one")).toMatchObject({ kind: "transient" });
  expect(await life.run("EdgeFunction", "two")).toMatchObject({ kind: "waiting", reason: "Updating" });
  await log.clear();
  expect(await life.run("EdgeFunction", "one")).toMatchObject({ kind: "waiting", reason: "Deploying" });
  const { byOperation } = await log.summary();
  expect(byOperation).toMatchObject({ "functions.update": 1 });
  expect(byOperation).not.toHaveProperty("functions.bulkUpdate");
  await settled("EdgeFunction", "one");
  const told = life.events.filter(({ reason }) => reason === "Redeployed").map(({ note }) => note);
  expect(told).toEqual(["deployed one again as version 2 for its environment: Secret test/env"]);
});
