import { describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { annotations, finalizers, formatOwnership } from "../../resources/annotations.ts";
import type { Session } from "./sessions.ts";

/** A deletion by a record that the annotation alone has, which whoever may edit the object can type: it asks for what an adoption asks for (engine.md §4). */

const VICTIM = "victimvictimvictimvi";
const owner = { owner: "Owner" } as const;
const asked = askedInEach({
  ...AT_ONCE,
  seed: {
    organizations: [
      { slug: "acme", members: owner },
      { slug: "victims", members: owner },
    ],
    projects: [{ ref: VICTIM, name: "victim", organization: "victims" }],
  },
});

/** Lets the connection of a life allow what its owner does. */
function allow({ environment: { sessions } }: Life, allowed: Partial<Session>): Session {
  const session = sessions.get(`Connection/${NAMESPACE}/default`);
  if (session === undefined) throw new Error("the connection is closed");
  sessions.set({ ...session, ...allowed });
  return session;
}

async function projectNames(): Promise<readonly string[]> {
  return (await asked.theatre.emulator.control.state.read({})).projects.map(({ name }) => name);
}

describe("a Project with a forged record and the organization of the victim typed into its spec", () => {
  it.each([
    {
      what: "leaves a project alone whose organization the connection does not allow",
      allowedOrganizations: ["acme"],
      left: ["victim"],
    },
    {
      what: "deletes one whose organization it allows, as the status may have been lost",
      allowedOrganizations: ["victims"],
      left: [],
    },
  ])("$what", async ({ allowedOrganizations, left }) => {
    const life = await asked.theatre.life();
    const { account: identity } = allow(life, { allowedOrganizations, allowedRefs: ["*"] });
    const record = { ref: VICTIM, identity, object: `${NAMESPACE}/forged`, cluster: life.environment.cluster };
    const { kubernetes } = asked.theatre;
    kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: {
        name: "forged",
        namespace: NAMESPACE,
        annotations: { [annotations.ref]: formatOwnership(record) },
        finalizers: [finalizers.remote],
      },
      spec: { organization: "victims", deletionPolicy: "Delete" },
    });
    kubernetes.delete("projects", NAMESPACE, "forged");
    await life.settle("Project", "forged");
    expect(kubernetes.get("projects", NAMESPACE, "forged")).toBeUndefined();
    expect(await projectNames()).toEqual(left);
  });
});

describe("a Project whose annotation names another project than its status", () => {
  it.each([
    { what: "typed", recreate: {} },
    { what: "the one that was gone before it was made", recreate: { [annotations.recreate]: VICTIM } },
  ])("deletes its own and leaves that one ($what)", async ({ recreate }) => {
    const life = await asked.theatre.life();
    const { account: identity } = allow(life, { allowedOrganizations: ["*"], allowedRefs: ["*"] });
    asked.put("Project", "own", { organization: "acme", deletionPolicy: "Delete" });
    await life.settle("Project", "own");
    expect((await projectNames()).toSorted()).toEqual(["own", "victim"]);
    const { kubernetes } = asked.theatre;
    const { metadata, ...stored } = kubernetes.get("projects", NAMESPACE, "own") ?? missing();
    const record = { ref: VICTIM, identity, object: `${NAMESPACE}/own`, cluster: life.environment.cluster };
    const given = { ...metadata.annotations, ...recreate, [annotations.ref]: formatOwnership(record) };
    kubernetes.put("projects", { ...stored, metadata: { ...metadata, namespace: NAMESPACE, annotations: given } });
    kubernetes.delete("projects", NAMESPACE, "own");
    await life.settle("Project", "own");
    expect(kubernetes.get("projects", NAMESPACE, "own")).toBeUndefined();
    expect(await projectNames()).toEqual(["victim"]);
  });
});

describe("a Project that takes another one over by its name", () => {
  const takesOver = async (organization: string, taking: object): Promise<string | undefined> => {
    const life = await asked.theatre.life();
    allow(life, { allowedOrganizations: ["*"], allowedRefs: ["*"] });
    asked.theatre.kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "asking", namespace: NAMESPACE, creationTimestamp: "2020-01-01T00:00:00Z" },
      spec: { organization, ref: VICTIM, managementPolicy: "Observe" },
    });
    if (organization === "acme") await life.settle("Project", "asking");
    asked.put("Project", "taking", { organization: "victims", name: "victim", ...taking });
    const outcome = await life.settle("Project", "taking");
    return "reason" in outcome ? outcome.reason : outcome.kind;
  };

  it.each([
    { how: "by its name", taking: { adoptionPolicy: "IfNameMatches" } },
    { how: "by its ref", taking: { ref: VICTIM } },
  ])("$how is held up by no object that asks for it and cannot have it", async ({ taking }) => {
    expect(await takesOver("acme", taking)).toBe("done");
  });

  it("is held up by one that may have it and has not looked yet", async () => {
    expect(await takesOver("victims", { adoptionPolicy: "IfNameMatches" })).toBe("Conflict");
  });
});

it("a Project that leaves what was typed alone deletes what came of its own request all the same", async () => {
  const life = await asked.theatre.life();
  const { account: identity, client } = allow(life, { allowedRefs: [] });
  const { kubernetes, emulator } = asked.theatre;
  const fault = { kind: "reset", phase: "before" } as const;
  await emulator.control.faults.add({ operation: "projects.create", count: 1, fault });
  asked.put("Project", "own", { organization: "acme", deletionPolicy: "Delete" });
  await life.run("Project", "own");
  const record = { ref: VICTIM, identity, object: `${NAMESPACE}/own`, cluster: life.environment.cluster };
  const { metadata, ...stored } = kubernetes.get("projects", NAMESPACE, "own") ?? missing();
  const given = { ...metadata.annotations, [annotations.ref]: formatOwnership(record) };
  kubernetes.put("projects", { ...stored, metadata: { ...metadata, namespace: NAMESPACE, annotations: given } });
  kubernetes.delete("projects", NAMESPACE, "own");
  expect(await life.run("Project", "own")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
  await client.projects.create({ body: { name: "own", organization_slug: "acme", db_pass: "a-password" } }); // it arrives
  await life.settle("Project", "own");
  expect(kubernetes.get("projects", NAMESPACE, "own")).toBeUndefined();
  expect(await projectNames()).toEqual(["victim"]);
});

function missing(): never {
  throw new Error("the object is not there");
}

describe("a Secret under its own record", () => {
  const secretNames = async (): Promise<readonly string[]> => {
    const { projects } = await asked.theatre.emulator.control.state.read({});
    return projects.flatMap(({ secrets }) => secrets.filter(({ platform }) => !platform).map(({ name }) => name));
  };

  it.each([
    { what: "keeps the names of another object's status, which a backup brought back", uid: "another", left: ["A"] },
    { what: "deletes the names of its own status", uid: undefined, left: [] },
  ])("$what", async ({ uid, left }) => {
    const life = await asked.withShop();
    const { kubernetes } = asked.theatre;
    const metadata = { name: "values", namespace: NAMESPACE };
    kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "1" } });
    kubernetes.put("secrets", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Secret",
      metadata: { name: "env", namespace: NAMESPACE },
      spec: { projectRef: { name: "shop" }, from: [{ secretRef: { name: "values" } }] },
    });
    expect(await life.settle("Secret", "env")).toMatchObject({ kind: "done" });
    kubernetes.restate("secrets", NAMESPACE, "env", (status) => ({
      ...(status as object),
      ...(uid === undefined ? {} : { recordedFor: uid }),
    }));
    kubernetes.delete("secrets", NAMESPACE, "env");
    await life.settle("Secret", "env");
    expect(kubernetes.get("secrets", NAMESPACE, "env")).toBeUndefined();
    expect(await secretNames()).toEqual(left);
  });
});

describe("a Branch with a forged record in a project that its spec alone names", () => {
  const branchNames = async (): Promise<readonly string[]> => {
    const { branches } = await asked.theatre.emulator.control.state.read({});
    return branches.filter(({ isDefault }) => !isDefault).map(({ name }) => name);
  };

  it.each([
    {
      what: "leaves the branch of one alone that the connection does not let be taken over",
      allowedRefs: [],
      left: ["preview"],
    },
    { what: "deletes the branch of one that it does", allowedRefs: [VICTIM], left: [] },
  ])("$what", async ({ allowedRefs, left }) => {
    const life = await asked.theatre.life();
    const { account: identity, client } = allow(life, { allowedRefs });
    await client.branches.create({ ref: VICTIM, body: { branch_name: "main" } });
    const { project_ref: ref, id } = await client.branches.create({ ref: VICTIM, body: { branch_name: "preview" } });
    const record = { ref, id, identity, object: `${NAMESPACE}/forged`, cluster: life.environment.cluster };
    const { kubernetes } = asked.theatre;
    kubernetes.put("branches", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Branch",
      metadata: {
        name: "forged",
        namespace: NAMESPACE,
        annotations: { [annotations.ref]: formatOwnership(record) },
        finalizers: [finalizers.remote],
      },
      spec: { projectRef: { ref: VICTIM }, deletionPolicy: "Delete" },
    });
    kubernetes.delete("branches", NAMESPACE, "forged");
    await life.settle("Branch", "forged");
    expect(kubernetes.get("branches", NAMESPACE, "forged")).toBeUndefined();
    expect(await branchNames()).toEqual(left);
  });
});
