import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { z } from "zod";
import type { KubeObject } from "../../resources/meta.ts";

/**
 * K-36: when a Secret with `redeployOnSecretChange` has changed the environment on the platform, each function there is deployed again exactly once,
 * after the write, wherever a life of the operator ends and whatever is lost.
 */

let theatre: Theatre;
let operator: WholeOperator | undefined;
let life: Life;

/** Longer than all that is waited for after a deployment in doubt, and than two drift intervals, milliseconds. */
const REST_MS = 1_500_000;
const KINDS = { projects: "Project", branches: "Branch", edgefunctions: "EdgeFunction", secrets: "Secret" } as const;
type Plural = keyof typeof KINDS;

async function begin(requests?: number): Promise<void> {
  await end();
  life = await theatre.life(requests);
  operator = await WholeOperator.start({ ...theatre, life: () => Promise.resolve(life) });
}

async function end(): Promise<void> {
  await operator?.[Symbol.asyncDispose]();
  operator = undefined;
}

async function open(): Promise<void> {
  theatre = await openTheatre({ timings: { bundleMs: 0 } });
}

async function close(): Promise<void> {
  await end();
  await theatre[Symbol.asyncDispose]();
}

beforeEach(open);
afterEach(close);

const inShop = { projectRef: { name: "shop" } };
const inline = (text: string): object => ({ source: { inline: { files: { "index.ts": text } } } });
const from = (name: string): object => ({ from: [{ secretRef: { name } }] });
const redeploying = { ...inShop, ...from("values"), redeployOnSecretChange: true };

function put(plural: Plural, name: string, spec: object, metadata: object = {}): void {
  const object = { apiVersion: "baas.dev/v1alpha1", kind: KINDS[plural] };
  theatre.kubernetes.put(plural, { ...object, metadata: { name, namespace: NAMESPACE, ...metadata }, spec });
}

function values(name: string, given: Readonly<Record<string, string>>): void {
  const data = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  theatre.kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: NAMESPACE },
    data,
  });
}

function find(plural: Plural, name: string): KubeObject {
  const found = theatre.kubernetes.get(plural, NAMESPACE, name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

/** What is done, and the rest after it. */
async function rest(act: () => unknown = () => undefined): Promise<void> {
  await act();
  operator?.look();
  await operator?.advance(REST_MS);
}

/** A project with two functions and a Secret, all at rest. */
async function founded(more: object = {}): Promise<void> {
  values("values", { A: "1", B: "1" });
  put("projects", "shop", { organization: "acme" });
  put("edgefunctions", "one", { ...inShop, ...inline("1") });
  put("edgefunctions", "two", { ...inShop, ...inline("2") });
  put("secrets", "env", { ...redeploying, ...more });
  await begin();
  await rest();
}

type Write = readonly [operation: string, what: string];

/** Requests that were to change the platform's environment or functions since, in order; of deployments that follow on each other by slug. */
async function writesAfter(after: number): Promise<readonly Write[]> {
  const { entries } = await theatre.emulator.control.log.read({ after });
  const writes = entries.flatMap(({ operation, query }): readonly Write[] => {
    if (operation !== "functions.deploy")
      return operation?.startsWith("secrets.") === true && operation !== "secrets.list" ? [[operation, ""]] : [];
    return [[operation, z.object({ slug: z.string() }).parse(query).slug]];
  });
  const runs: Write[][] = [];
  for (const write of writes) {
    const run = runs.at(-1);
    if (run?.[0]?.[0] === write[0]) run.push(write);
    else runs.push([write]);
  }
  return runs.flatMap((run) => run.toSorted(([, a], [, b]) => (a < b ? -1 : 1)));
}

async function last(): Promise<number> {
  return (await theatre.emulator.control.log.read({})).last;
}

async function after(act: () => unknown): Promise<readonly Write[]> {
  const from_ = await last();
  await rest(act);
  return writesAfter(from_);
}

const rotate = (): void => values("values", { A: "2", B: "1" });
const deployed = (...slugs: readonly string[]): readonly Write[] => slugs.map((slug) => ["functions.deploy", slug]);
const set: Write = ["secrets.create", ""];

/** Every life but the last ends after so many requests; at last one that makes all of them. @returns how many there are to end at */
async function endingAnywhere(act: () => unknown, expected: (writes: readonly Write[]) => void): Promise<number> {
  for (let survived = 1; ; survived += 1) {
    await founded();
    await begin(survived);
    const since = await last();
    await rest(act);
    const whole = !life.dead;
    await begin();
    await rest();
    expected(await writesAfter(since));
    expectNothingInDoubt();
    await close();
    await open();
    if (whole) return survived;
  }
}

function expectNothingInDoubt(): void {
  const revision = statusOf("secrets", "env")["environment"];
  expect(revision).toEqual({ revision: expect.any(String) });
  for (const name of ["one", "two"]) {
    const status = statusOf("edgefunctions", name);
    expect(status).toMatchObject({ environment: [{ name: `${NAMESPACE}/env`, ...Object(revision) }] });
    expect(status).not.toHaveProperty("redeployment");
    expect(conditions(name)).toEqual(["Ready=True"]);
  }
}

function statusOf(plural: Plural, name: string): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(find(plural, name)["status"]);
}

function conditions(name: string): readonly string[] {
  const all = z
    .array(z.object({ type: z.string(), status: z.string() }))
    .parse(statusOf("edgefunctions", name)["conditions"]);
  return all.map(({ type, status }) => `${type}=${status}`);
}

describe("[K-36] redeployOnSecretChange", () => {
  it("deploys each function once after a value was rotated, and after one was taken away", async () => {
    await founded();
    const before = life.events.length;
    expect(await after(rotate)).toEqual([set, ...deployed("one", "two")]);
    expect(await after(() => values("values", { A: "2" }))).toEqual([
      ["secrets.delete", ""],
      ...deployed("one", "two"),
    ]);
    const told = life.events
      .slice(before)
      .filter(({ reason }) => reason === "Redeployed")
      .map(({ note }) => note);
    expect(told.toSorted()).toEqual([
      "deployed one again as version 3 for its environment: Secret test/env",
      "deployed one again as version 4 for its environment: Secret test/env",
      "deployed two again as version 3 for its environment: Secret test/env",
      "deployed two again as version 4 for its environment: Secret test/env",
    ]);
    expectNothingInDoubt();
  });

  it("deploys each once whatever request a life ended at, and after the write", async () => {
    const points = await endingAnywhere(rotate, (writes) => {
      expect(writes.filter(([operation]) => operation === "functions.deploy")).toEqual(deployed("one", "two"));
      expect(writes[0]).toEqual(set);
    });
    expect(points).toBeGreaterThan(10);
  });
});
