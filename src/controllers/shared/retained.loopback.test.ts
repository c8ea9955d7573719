import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { RELEASES_NAME } from "./releases.ts";

/** What is kept on purpose leaves a trace in the cluster that outlives its object, its namespace and their events (engine.md §5). */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  put("Project", "projects", "shop", { organization: "acme", deletionPolicy: "Retain" });
  await life.settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(kind: string, plural: string, name: string, spec: object): void {
  theatre.kubernetes.put(plural, {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec,
  });
}

function secret(name: string, password: string): Parameters<Theatre["kubernetes"]["put"]>[1] {
  const data = { password: Buffer.from(password).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: NAMESPACE }, data };
}

/** Deletes an object, in a namespace that stays or goes with it. @returns the ref that its status had */
async function remove(kind: string, plural: string, name: string, { ending = false } = {}): Promise<string> {
  const { kubernetes, clock } = theatre;
  const status = kubernetes.get(plural, NAMESPACE, name)?.["status"] as { readonly ref: string };
  const deletionTimestamp = new Date(clock.now()).toISOString();
  const metadata = { name: NAMESPACE, ...(ending ? { deletionTimestamp, finalizers: ["kubernetes"] } : {}) };
  kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
  kubernetes.delete(plural, NAMESPACE, name, clock.now());
  await life.settle(kind, name);
  expect(kubernetes.get(plural, NAMESPACE, name)).toBeUndefined();
  return status.ref;
}

function listed(): readonly unknown[] {
  const data = theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {};
  return Object.values(data).map((line) => JSON.parse(String(line)) as unknown);
}

const ofNamespace = () => life.events.filter(({ regarding }) => regarding.kind === "Namespace");

describe("a Project that is kept", () => {
  it("is listed with its ref and how it is taken over again", async () => {
    const ref = await remove("Project", "projects", "shop");
    const line = { object: `${NAMESPACE}/shop`, kind: "Project", remote: `project ${ref}`, cause: "Retained" };
    expect(listed()).toEqual([
      expect.objectContaining({ ...line, message: expect.stringContaining(`spec.ref: ${ref}`) }),
    ]);
    expect(ofNamespace()).toEqual([]);
  });

  it("is told by an event of its namespace, where that goes and takes no events any more", async () => {
    const ref = await remove("Project", "projects", "shop", { ending: true });
    expect(ofNamespace()).toMatchObject([
      { type: "Normal", reason: "Retained", note: expect.stringContaining(`spec.ref: ${ref}`) },
    ]);
  });

  it("is told and listed with what goes with its namespace, the only copy of a generated password, and with how to have another", async () => {
    await remove("Project", "projects", "shop", { ending: true });
    const lost =
      "the Secret shop-database-password with its generated password goes with the namespace: spec.databasePassword.secretKeyRef sets another one";
    expect(ofNamespace()).toMatchObject([{ note: expect.stringContaining(lost) }]);
    expect(listed()).toEqual([expect.objectContaining({ message: expect.stringContaining(lost) })]);
  });

  it("loses no password where its namespace stays, or the password is the user's own", async () => {
    theatre.kubernetes.put("secrets", secret("own", "own-password-1"));
    const spec = { organization: "acme", deletionPolicy: "Retain" };
    put("Project", "projects", "other", { ...spec, databasePassword: { secretKeyRef: { name: "own" } } });
    await life.settle("Project", "other");
    await remove("Project", "projects", "shop");
    await remove("Project", "projects", "other", { ending: true });
    expect(JSON.stringify([listed(), ofNamespace()])).not.toContain("goes with the namespace");
  });

  it("that is taken over again by its name gets the password of the Secret that its new object names", async () => {
    const ref = await remove("Project", "projects", "shop", { ending: true });
    theatre.kubernetes.put("secrets", secret("own", "own-password-1"));
    const databasePassword = { secretKeyRef: { name: "own" } };
    put("Project", "projects", "shop", { organization: "acme", adoptionPolicy: "IfNameMatches", databasePassword });
    await life.settle("Project", "shop");
    expect(theatre.kubernetes.get("projects", NAMESPACE, "shop")?.["status"]).toMatchObject({ ref });
    const told = life.events.findLast(({ reason }) => reason === "Updated");
    expect(told).toMatchObject({ note: expect.stringContaining("set the database password from its Secret") });
  });

  it("is not listed where its object only observed it", async () => {
    put("Project", "projects", "shop", { organization: "acme", managementPolicy: "Observe" });
    await life.settle("Project", "shop");
    await remove("Project", "projects", "shop");
    expect(listed()).toEqual([]);
  });
});

it("a Branch that is kept since it is persistent is listed, and how it is taken over again", async () => {
  put("Branch", "branches", "stage", { projectRef: { name: "shop" }, persistent: true });
  await life.settle("Branch", "stage");
  const ref = await remove("Branch", "branches", "stage");
  const line = { object: `${NAMESPACE}/stage`, kind: "Branch", remote: `branch ${ref}`, cause: "Retained" };
  const message = expect.stringContaining("adoptionPolicy: IfNameMatches") as unknown;
  expect(listed()).toEqual([expect.objectContaining({ ...line, message })]);
});

it("a Branch that somebody made persistent on the platform right before its deletion is kept, though no look has seen it so", async () => {
  put("Branch", "branches", "stage", { projectRef: { name: "shop" } });
  await life.settle("Branch", "stage");
  const { client } = life;
  const statusOf = (plural: string, name: string) =>
    theatre.kubernetes.get(plural, NAMESPACE, name)?.["status"] as { readonly ref: string };
  const body = { persistent: true };
  const call = { parentRef: statusOf("projects", "shop").ref };
  await client.branches.update({ branch_id_or_ref: statusOf("branches", "stage").ref, body }, call);
  const ref = await remove("Branch", "branches", "stage");
  const remote = (await client.branches.list({ ref: call.parentRef })).find(({ project_ref: own }) => own === ref);
  expect(remote).toMatchObject({ persistent: true });
  expect(listed()).toEqual([expect.objectContaining({ kind: "Branch", remote: `branch ${ref}`, cause: "Retained" })]);
});

it.each([
  { spec: { persistent: true }, why: "deletionPolicy is Retain, the default for a persistent branch" },
  { spec: { deletionPolicy: "Retain" }, why: "deletionPolicy is Retain" },
])("of a Branch with $spec it is told who said that: $why", async ({ spec, why }) => {
  put("Branch", "branches", "stage", { projectRef: { name: "shop" }, ...spec });
  await life.settle("Branch", "stage");
  const ref = await remove("Branch", "branches", "stage");
  const note = `the object was deleted and the branch ${ref} is kept: ${why}`;
  expect(life.events.findLast(({ reason }) => reason === "Retained")).toMatchObject({ note });
});

it.each(["Delete", "Retain"])(
  "of a Branch whose Project is gone, with %s, it is not told that it is kept",
  async (deletionPolicy) => {
    put("Branch", "branches", "stage", { projectRef: { name: "shop" } });
    await life.settle("Branch", "stage");
    put("Project", "projects", "shop", { organization: "acme", deletionPolicy });
    await life.settle("Project", "shop");
    await remove("Project", "projects", "shop");
    await remove("Branch", "branches", "stage");
    const told = life.events.filter(({ regarding, reason }) => regarding.kind === "Branch" && reason === "Retained");
    expect(told).toEqual([]);
  },
);

it("what is deleted is not listed", async () => {
  put("Project", "projects", "shop", { organization: "acme", deletionPolicy: "Delete" });
  await life.settle("Project", "shop");
  await remove("Project", "projects", "shop");
  expect(listed()).toEqual([]);
});
