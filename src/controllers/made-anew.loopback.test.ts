import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";
import { annotations } from "../resources/annotations.ts";
import { branchKind } from "../resources/branch/kind.ts";
import { projectKind } from "../resources/project/kind.ts";
import { driftPolicies } from "../resources/policy-choices.ts";
import { findCondition } from "./shared/conditions.ts";

/**
 * A project that somebody deleted by hand and that people let be made again is another one, under another ref: nothing that was in force in the one
 * that is gone is in force in it, and what it lacks is no drift (engine.md §4 and §6).
 */

type Fault = Parameters<Theatre["emulator"]["control"]["faults"]["add"]>[0]["fault"];

let theatre: Theatre;
let operator: WholeOperator;
/** What the status of the Project said before each request. */
let told: ReturnType<typeof projectKind.parseStatus>[];

beforeEach(async () => {
  told = [];
  const onRequest = (): void => {
    const object = theatre.kubernetes.get("projects", NAMESPACE, "shop");
    if (object !== undefined) told.push(projectKind.parseStatus(object));
  };
  theatre = await openTheatre(AT_ONCE, { onRequest });
  operator = await WholeOperator.start(theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

const KINDS = { projects: "Project", branches: "Branch", edgefunctions: "EdgeFunction", secrets: "Secret" } as const;
const projectRef = { name: "shop" };
const source = { inline: { files: { "index.ts": "1" } } };

function put(plural: keyof typeof KINDS, name: string, spec: object, more: object = {}): void {
  const metadata = { name, namespace: NAMESPACE, ...more };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind: KINDS[plural], metadata, spec });
}

function putCoreSecret(name: string, stringData: object): void {
  theatre.kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: NAMESPACE },
    stringData,
  });
}

async function settle(): Promise<void> {
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
}

function shopRef(): string {
  const { ref } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  if (ref === undefined) throw new Error("the project has no ref");
  return ref;
}

/** Deletes the project by hand and lets it be made again before anybody has looked. @returns ref of the new one, at rest */
async function makeAnew(spec: object, meanwhile = (): Promise<unknown> => Promise.resolve()): Promise<string> {
  const before = shopRef();
  await theatre.emulator.control.projects.remove({ ref: before });
  await meanwhile();
  told = [];
  put("projects", "shop", spec, { annotations: { ...shopAnnotations(), [annotations.recreate]: before } });
  operator.look();
  await operator.advanceUntil(() => shopRef() !== before);
  await operator.advance(5000);
  await settle();
  return shopRef();
}

function shopAnnotations(): object {
  return theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata.annotations ?? {};
}

function clientOf() {
  const session = operator.environment.sessions.get(`Connection/${NAMESPACE}/default`);
  if (session === undefined) throw new Error("no session");
  return session.client;
}

describe.each(driftPolicies)("in a project that was made anew, under driftPolicy %s,", (driftPolicy) => {
  const shop = { organization: "acme" };

  it("a function and secrets that nothing was wrong with are there again, at once", async () => {
    put("projects", "shop", shop);
    put("edgefunctions", "hello", { projectRef, source, driftPolicy });
    putCoreSecret("values", { RED: "value" });
    put("secrets", "red", { projectRef, from: [{ secretRef: { name: "values" } }], driftPolicy });
    await settle();
    const ref = await makeAnew(shop);
    const [functions, secrets] = await Promise.all([
      clientOf().functions.list({ ref }),
      clientOf().secrets.list({ ref }),
    ]);
    expect(functions.map(({ slug }) => slug)).toEqual(["hello"]);
    expect(secrets.map(({ name }) => name)).toContain("RED");
  });

  it.each<{ readonly what: string; readonly fault?: Fault }>([
    { what: "at once" },
    { what: "after its requests were refused", fault: { kind: "status", status: 403 } },
    { what: "after its requests were lost", fault: { kind: "reset", phase: "before" } },
  ])("a branch that nothing lasting was in is there again $what, its sections too", async ({ fault }) => {
    put("projects", "shop", shop);
    put("branches", "preview", { projectRef, driftPolicy, dataApi: { maxRows: 321 } });
    await settle();
    const { faults } = theatre.emulator.control;
    // One for the default branch, which comes first, and one for its own.
    if (fault !== undefined) {
      await faults.add({ operation: "branches.create", fault });
      await faults.add({ operation: "branches.create", skip: 1, fault });
    }
    const ref = await makeAnew(shop);
    expect((await faults.list({})).filter(({ hits }) => hits === 0)).toEqual([]);
    const branches = await clientOf().branches.list({ ref });
    const branch = branches.find(({ name }) => name === "preview");
    if (branch === undefined) throw new Error("there is no branch");
    expect(await clientOf().dataApi.get({ ref: branch.project_ref })).toMatchObject({ max_rows: 321 });
  });

  it("sections are as declared, secrets of theirs included", async () => {
    putCoreSecret("smtp", { password: "secret" });
    const password = { secretKeyRef: { name: "smtp", key: "password" } };
    const spec = {
      ...shop,
      driftPolicy,
      dataApi: { maxRows: 321 },
      auth: { siteUrl: "https://shop.test", smtp: { password } },
    };
    put("projects", "shop", spec);
    await settle();
    const ref = await makeAnew(spec);
    const [dataApi, auth] = await Promise.all([clientOf().dataApi.get({ ref }), clientOf().authConfig.get({ ref })]);
    expect(dataApi).toMatchObject({ max_rows: 321 });
    expect(auth).toMatchObject({
      site_url: "https://shop.test",
      smtp_pass: createHash("sha256").update("secret").digest("hex"),
    });
  });
});

it("a branch that is gone from a project that stands is drift, though it was asked for again in vain", async () => {
  const preview = (recreate: object): void => {
    put("branches", "preview", { projectRef, driftPolicy: "Report" }, { annotations: recreate });
    operator.look();
  };
  const status = () => branchKind.parseStatus(theatre.kubernetes.get("branches", NAMESPACE, "preview"));
  const reason = () => findCondition(status().conditions, "Ready")?.reason;
  put("projects", "shop", { organization: "acme" });
  preview({});
  await settle();
  const { faults, projects, log } = theatre.emulator.control;
  await faults.add({ operation: "branches.create", count: null, fault: { kind: "status", status: 403 } });
  const { ref = "" } = status();
  await projects.remove({ ref });
  preview({ [annotations.recreate]: ref });
  const asked = async () => (await log.read({ operation: "branches.create", status: 403 })).entries.length;
  for (let minutes = 0; minutes < 30 && (await asked()) === 0; minutes += 1) await operator.advance(60_000);
  expect(await asked()).toBeGreaterThan(0);
  preview({});
  await faults.clear({});
  await operator.advance(900_000);
  expect(reason()).toBe("RemoteMissing");
});

it("a project that was made anew is not told to be up as the one was that is gone", async () => {
  put("projects", "shop", { organization: "acme" });
  await settle();
  const before = shopRef();
  const ref = await makeAnew({ organization: "acme" });
  expect(ref).not.toBe(before);
  const states = told.filter((status) => status.ref === ref).map(({ state }) => state);
  expect(states[0]).toBeUndefined();
});

describe("what the former project did not keep is written to the one that was made anew", () => {
  const difference = { field: "spec.some.setting", difference: "[1,2]" };

  it.each([
    { plural: "projects", name: "shop" },
    { plural: "branches", name: "preview" },
    { plural: "edgefunctions", name: "hello" },
    { plural: "secrets", name: "red" },
  ] as const)("a field of $plural", async ({ plural, name }) => {
    put("projects", "shop", { organization: "acme" });
    put("branches", "preview", { projectRef });
    put("edgefunctions", "hello", { projectRef, source });
    putCoreSecret("values", { RED: "value" });
    put("secrets", "red", { projectRef, from: [{ secretRef: { name: "values" } }] });
    await settle();
    const object = theatre.kubernetes.get(plural, NAMESPACE, name);
    if (object === undefined) throw new Error("it is not there");
    const { convergence } = operator.environment;
    for (let writes = 0; writes < 3; writes += 1) convergence.wrote(object, difference, "some");
    expect(convergence.admit(object, [difference], "some").stuck).toHaveLength(1);
    await makeAnew({ organization: "acme" });
    await operator.advance(60_000);
    expect(convergence.admit(object, [difference], "some").write).toHaveLength(1);
  });

  it("a secret that was never shown there, though it was set thrice", async () => {
    put("projects", "shop", { organization: "acme" });
    putCoreSecret("values", { RED: "value" });
    put("secrets", "red", { projectRef, from: [{ secretRef: { name: "values" } }] });
    await settle();
    const object = theatre.kubernetes.get("secrets", NAMESPACE, "red");
    if (object === undefined) throw new Error("it is not there");
    const digest = createHash("sha256").update("value").digest("hex");
    const unseen = { field: "RED", difference: `${digest.slice(0, 12)} after none` };
    for (let writes = 0; writes < 3; writes += 1) operator.environment.convergence.wrote(object, unseen);
    const ref = await makeAnew({ organization: "acme" });
    await operator.advance(60_000);
    const secrets = await clientOf().secrets.list({ ref });
    expect(secrets.map(({ name }) => name)).toContain("RED");
  });
});

it("the password of a project that takes the place of one that is gone is set: that of the former is not known to be its own", async () => {
  putCoreSecret("database", { password: "good enough" });
  const databasePassword = { secretKeyRef: { name: "database", key: "password" } };
  const spec = { organization: "acme", adoptionPolicy: "IfNameMatches", databasePassword };
  put("projects", "shop", spec);
  await settle();
  await makeAnew(spec, () =>
    clientOf().projects.create({
      body: { name: "shop", organization_slug: "acme", db_pass: "by hand, and good enough" },
    }),
  );
  const { entries } = await theatre.emulator.control.log.read({ operation: "projects.updatePassword" });
  expect(entries).toHaveLength(1);
});
