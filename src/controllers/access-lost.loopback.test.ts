import { expect, it } from "vitest";
import { z } from "zod";
import { NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";
import { RELEASES_NAME } from "./shared/releases.ts";

/** A token that has lost access to the organization is answered 404, as for what does not exist: nothing is taken for gone by that (engine.md §4). */

const API = "baas.dev/v1alpha1";

const shownSchema = z.looseObject({
  status: z.looseObject({ conditions: z.array(z.looseObject({ type: z.string(), message: z.string() })) }),
});

const plurals = { Project: "projects", EdgeFunction: "edgefunctions", Secret: "secrets", Branch: "branches" } as const;

function put({ kubernetes }: Theatre, kind: keyof typeof plurals, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  kubernetes.put(plurals[kind], { apiVersion: API, kind, metadata, spec });
}

/** A project with a branch, a function and secrets, all Ready. */
async function family(theatre: Theatre, operator: WholeOperator): Promise<void> {
  const metadata = { name: "values", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "1", B: "2" } });
  const projectRef = { name: "shop" };
  put(theatre, "Project", "shop", { organization: "acme", deletionPolicy: "Delete" });
  const source = { inline: { files: { "index.ts": "// nothing" } } };
  put(theatre, "EdgeFunction", "hello", { projectRef, source });
  put(theatre, "Secret", "env", { projectRef, from: [{ secretRef: { name: "values" } }] });
  put(theatre, "Branch", "preview", { projectRef, deletionPolicy: "Delete" });
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
}

async function lookFor(operator: WholeOperator, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    operator.look();
    await operator.advance(1000);
  }
}

/** What the platform has. */
async function remote({ emulator }: Theatre): Promise<Readonly<Record<string, readonly string[]>>> {
  const { projects, branches } = await emulator.control.state.read({});
  return {
    projects: projects.map(({ name }) => name),
    branches: branches.filter(({ isDefault }) => !isDefault).map(({ name }) => name),
    edgefunctions: projects.flatMap(({ functions }) => functions.map(({ slug }) => slug)),
    secrets: projects.flatMap(({ secrets }) => secrets.filter(({ platform }) => !platform).map(({ name }) => name)),
  };
}

const there = ({ kubernetes }: Theatre, plural: string, name: string): boolean =>
  kubernetes.get(plural, NAMESPACE, name) !== undefined;

function readyMessage({ kubernetes }: Theatre, plural: string, name: string): string | undefined {
  const { status } = shownSchema.parse(kubernetes.get(plural, NAMESPACE, name));
  return status.conditions.find(({ type }) => type === "Ready")?.message;
}

const WAITS = /organization.*so that (it|the project) is not taken for (gone|missing)/u;

const told = ({ kubernetes }: Theatre): unknown => kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"];

const aFunction = {
  plural: "edgefunctions",
  name: "hello",
  remotely: "hello",
  looks: ["functions.delete", "functions.list"],
} as const;
const secrets = { plural: "secrets", name: "env", remotely: "A", looks: ["secrets.list"] } as const;
const branch = { plural: "branches", name: "preview", remotely: "preview", looks: ["branches.list"] } as const;
const project = { plural: "projects", name: "shop", remotely: "shop", looks: ["projects.get"] } as const;
const rows = [aFunction, secrets, branch, project];

type Fault = Parameters<Theatre["emulator"]["control"]["faults"]["add"]>[0];

/** An answer that is wrong once. */
function once(operation: string, status: number, more: Pick<Fault, "skip"> & { body?: unknown } = {}): Fault {
  const { body, ...rest } = more;
  return { operation, ...rest, count: 1, fault: { kind: "status", status, ...(body === undefined ? {} : { body }) } };
}

/** What one look may be answered of what is there. */
const wrong: readonly {
  readonly what: string;
  readonly of: (typeof rows)[number];
  readonly faults: readonly Fault[];
}[] = [
  { what: "a function is not there to be deleted", of: aFunction, faults: [once("functions.delete", 404)] },
  {
    what: "nor is it listed",
    of: aFunction,
    faults: [once("functions.delete", 404), once("functions.list", 200, { body: [] })],
  },
  { what: "no secret is listed", of: secrets, faults: [once("secrets.list", 200, { body: [] })] },
  {
    what: "half of the secrets are listed, then none",
    of: secrets,
    faults: [once("secrets.list", 200, { body: [{ name: "A", value: "" }] }), once("secrets.list", 200, { body: [] })],
  },
  {
    what: "the place of secrets is gone when they are deleted",
    of: secrets,
    faults: [once("secrets.delete", 404), once("secrets.list", 404, { skip: 1 })],
  },
  { what: "no branch is listed", of: branch, faults: [once("branches.list", 200, { body: [] })] },
  { what: "branching is off", of: branch, faults: [once("branches.list", 422)] },
  {
    what: "the project of a branch is gone when it is deleted",
    of: branch,
    faults: [once("branches.delete", 404), once("branches.list", 404, { skip: 1 })],
  },
  {
    what: "a branch to be deleted is gone",
    of: branch,
    faults: [once("branches.delete", 404), once("branches.list", 200, { body: [], skip: 1 })],
  },
];

it.each(rows)("a deletion waits for it and is carried out then: $plural", async ({ plural, name }) => {
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  const { faults } = theatre.emulator.control;
  await faults.add({ operation: "*", count: null, fault: { kind: "status", status: 404 } });
  theatre.kubernetes.delete(plural, NAMESPACE, name);
  await lookFor(operator, 300);
  expect(readyMessage(theatre, plural, name)).toMatch(WAITS);
  await faults.clear();
  await lookFor(operator, 120);
  expect(there(theatre, plural, name)).toBe(false);
  expect((await remote(theatre))[plural]).toEqual([]);
  expect(told(theatre)).toBeUndefined();
});

it.each(rows)("nor is it by one that is forbidden the organization: $plural", async ({ plural, name }) => {
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  const { faults } = theatre.emulator.control;
  const forbidden = { kind: "status", status: 403 } as const;
  await faults.add({ operation: "organizations.get", count: null, fault: forbidden });
  await faults.add({ operation: "*", count: null, fault: { kind: "status", status: 404 } });
  theatre.kubernetes.delete(plural, NAMESPACE, name);
  await lookFor(operator, 300);
  expect(readyMessage(theatre, plural, name)).toMatch(WAITS);
});

it.each(rows)("what is still there at the bound is told: $plural", async ({ plural, name, remotely }) => {
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  await theatre.emulator.control.faults.add({ operation: "*", count: null, fault: { kind: "status", status: 404 } });
  theatre.kubernetes.delete(plural, NAMESPACE, name);
  await lookFor(operator, 16 * 60);
  expect(there(theatre, plural, name)).toBe(false);
  expect((await remote(theatre))[plural]).toContain(remotely);
  expect(JSON.stringify(told(theatre))).toContain("not taken for");
});

it.each(rows)("one wrong 404 leaves nothing on the platform: $plural", async ({ plural, name, looks }) => {
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  const { faults } = theatre.emulator.control;
  for (const operation of looks) await faults.add({ operation, count: 1, fault: { kind: "status", status: 404 } });
  theatre.kubernetes.delete(plural, NAMESPACE, name);
  await lookFor(operator, 120);
  expect(there(theatre, plural, name)).toBe(false);
  expect((await remote(theatre))[plural]).toEqual([]);
});

it.each(wrong)("one look that is answered wrong leaves nothing on the platform: $what", async ({ of, faults }) => {
  const { plural, name } = of;
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  for (const fault of faults) await theatre.emulator.control.faults.add(fault);
  theatre.kubernetes.delete(plural, NAMESPACE, name);
  await lookFor(operator, 120);
  expect(there(theatre, plural, name)).toBe(false);
  expect((await remote(theatre))[plural]).toEqual([]);
});

it.each([
  { ...aFunction, refusal: { operation: "functions.delete", status: 404 } },
  { ...secrets, refusal: { operation: "secrets.delete", status: 400 } },
  { ...branch, refusal: { operation: "branches.delete", status: 400 } },
  { ...project, refusal: { operation: "projects.delete", status: 400 } },
])("what was found between two wrong answers is not gone: $plural", async ({ plural, name, looks, refusal }) => {
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  const { faults } = theatre.emulator.control;
  const { operation, status } = refusal;
  theatre.kubernetes.delete(plural, NAMESPACE, name);
  for (const look of looks) await faults.add(once(look, 404));
  await faults.add({ operation, count: null, fault: { kind: "status", status } });
  await lookFor(operator, 120);
  for (const look of looks) await faults.add(once(look, 404));
  await lookFor(operator, 120);
  expect(there(theatre, plural, name)).toBe(true);
  await faults.clear();
  await lookFor(operator, 120);
  expect(there(theatre, plural, name)).toBe(false);
  expect((await remote(theatre))[plural]).toEqual([]);
});

it("a deletion in a project that no object manages waits for a token that reads no organization", async () => {
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  const { projects } = await theatre.emulator.control.state.read({});
  const ref = projects.find(({ name }) => name === "shop")?.ref;
  const source = { inline: { files: { "index.ts": "// nothing" } } };
  put(theatre, "EdgeFunction", "bare", { projectRef: { ref }, source });
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  const { faults } = theatre.emulator.control;
  const none = { kind: "status", status: 200, body: [] } as const;
  await faults.add({ operation: "organizations.list", count: null, fault: none });
  await faults.add({ operation: "*", count: null, fault: { kind: "status", status: 404 } });
  theatre.kubernetes.delete("edgefunctions", NAMESPACE, "bare");
  await lookFor(operator, 300);
  expect(there(theatre, "edgefunctions", "bare")).toBe(true);
  await faults.clear();
  await lookFor(operator, 120);
  expect(there(theatre, "edgefunctions", "bare")).toBe(false);
  expect((await remote(theatre))["edgefunctions"]).toEqual(["hello"]);
});

it("what somebody deleted on the platform is gone, and nothing is told", async () => {
  await using theatre = await openTheatre(AT_ONCE);
  await using operator = await WholeOperator.start(theatre);
  await family(theatre, operator);
  const { projects } = await theatre.emulator.control.state.read({});
  const shop = projects.find(({ name }) => name === "shop");
  await theatre.emulator.control.projects.remove({ ref: shop?.ref ?? "" });
  for (const { plural, name } of rows) theatre.kubernetes.delete(plural, NAMESPACE, name);
  await lookFor(operator, 60);
  expect(rows.filter(({ plural, name }) => there(theatre, plural, name))).toEqual([]);
  expect(told(theatre)).toBeUndefined();
});
