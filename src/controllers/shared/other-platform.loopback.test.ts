import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { type ApiClient, createClient } from "../../api/client.ts";
import { PersonalToken } from "../../api/credentials/personal-token.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { RELEASES_NAME } from "./releases.ts";

/**
 * A connection that comes to name another platform, on which the same account reads an organization of the same slug: what is not found there, by its
 * record or by the name under which it was asked for, is not taken for gone (engine.md §4).
 */

const MINUTE_MS = 60_000;
/** A create request may arrive for less than that, and `deletionTimeout` is more. */
const MINUTES = 10;

const asked = askedInEach(AT_ONCE);
let other: Theatre;
let client: ApiClient;

beforeEach(async () => {
  const { clock } = asked.theatre;
  other = await openTheatre({ ...AT_ONCE, clock });
  client = createClient({ baseUrl: other.emulator.url, credentials: new PersonalToken("token"), clock });
});

afterEach(async () => {
  await client.close();
  await other[Symbol.asyncDispose]();
});

/** Points the connection of a life at the other platform. @returns points it back */
function move({ environment: { sessions } }: Life): () => void {
  const session = sessions.get(`Connection/${NAMESPACE}/default`);
  if (session === undefined) throw new Error("the connection is closed");
  sessions.set({ ...session, client, server: other.emulator.url });
  return () => sessions.set(session);
}

/** Names of what there is on the first platform, by the plural of its objects. */
async function remote(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { projects, branches } = await asked.theatre.emulator.control.state.read({});
  return {
    projects: projects.map(({ name }) => name),
    branches: branches.filter(({ isDefault }) => !isDefault).map(({ name }) => name),
    edgefunctions: projects.flatMap(({ functions }) => functions.map(({ slug }) => slug)),
    secrets: projects.flatMap(({ secrets }) => secrets.filter(({ platform }) => !platform).map(({ name }) => name)),
  };
}

function put(kind: string, plural: string, spec: object): void {
  const metadata = { name: "x", namespace: NAMESPACE };
  asked.theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

const projectRef = { name: "shop" };
const source = { inline: { files: { "index.ts": "// nothing" } } };
const deletionPolicy = "Delete";
const project = { kind: "Project", plural: "projects", spec: { organization: "acme", deletionPolicy } } as const;
const branch = { kind: "Branch", plural: "branches", spec: { projectRef, deletionPolicy } } as const;

const rows = [
  { ...project, had: "is recorded", unanswered: undefined, remotely: "x" },
  { ...project, had: "may have been made", unanswered: "projects.create", remotely: "x" },
  { ...branch, had: "is recorded", unanswered: undefined, remotely: "x" },
  { ...branch, had: "may have been made", unanswered: "branches.create", remotely: "x" },
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    spec: { projectRef, source },
    had: "is recorded",
    unanswered: undefined,
    remotely: "x",
  },
  {
    kind: "Secret",
    plural: "secrets",
    spec: { projectRef, from: [{ secretRef: { name: "values" } }] },
    had: "is recorded",
    unanswered: undefined,
    remotely: "A",
  },
] as const;

/** Has the thing of an object made, whose answer is lost where one is named. */
async function make(
  life: Life,
  { kind, plural, unanswered, remotely }: Pick<(typeof rows)[number], "kind" | "plural" | "unanswered" | "remotely">,
): Promise<void> {
  if (unanswered === undefined) {
    await life.settle(kind, "x");
    return;
  }
  const skip = unanswered === "branches.create" ? 1 : 0; // the default branch is made first
  const fault = { kind: "reset", phase: "after" } as const;
  await asked.theatre.emulator.control.faults.add({ operation: unanswered, skip, fault });
  const isMade = async (): Promise<boolean> => (await remote())[plural]?.includes(remotely) === true;
  for (let run = 0; run < 3 && !(await isMade()); run += 1) await life.run(kind, "x");
}

it.each(rows)(
  "a $kind whose thing $had waits for its platform",
  async ({ kind, plural, spec, unanswered, remotely }) => {
    const life = await asked.withShop();
    const { kubernetes } = asked.theatre;
    const values = { name: "values", namespace: NAMESPACE };
    kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: values, stringData: { A: "1" } });
    put(kind, plural, spec);
    await make(life, { kind, plural, unanswered, remotely });
    const { ref } = projectKind.parseStatus(kubernetes.get(plural, NAMESPACE, "x"));
    expect(ref === undefined).toBe(unanswered !== undefined);
    expect((await remote())[plural]).toContain(remotely);
    const putBack = move(life);
    kubernetes.delete(plural, NAMESPACE, "x");
    for (let minute = 0; minute < MINUTES; minute += 1) {
      expect(JSON.stringify(await life.run(kind, "x"))).toMatch(/another (account or )?platform/u);
      await asked.theatre.pass(MINUTE_MS);
    }
    expect((await remote())[plural]).toContain(remotely);
    putBack();
    await life.settle(kind, "x");
    expect(kubernetes.get(plural, NAMESPACE, "x")).toBeUndefined();
    expect((await remote())[plural]).not.toContain(remotely);
    expect(kubernetes.get("configmaps", "baas-system", RELEASES_NAME)).toBeUndefined();
  },
);

describe("a project that is on another platform, too", () => {
  /** A Project `x` whose ref there is on both. */
  async function onBoth(): Promise<Life> {
    const life = await asked.withShop();
    put(project.kind, project.plural, project.spec);
    await life.settle(project.kind, "x");
    const { ref } = projectKind.parseStatus(asked.theatre.kubernetes.get("projects", NAMESPACE, "x"));
    await other.emulator.control.state.seed({ projects: [{ ref, name: "x", organization: "acme" }] });
    return life;
  }

  /** Has the Project go over to a connection that reaches the other platform. */
  function goOver({ environment: { sessions } }: Life, allowedRefs: readonly string[] | undefined): void {
    const session = sessions.get(`Connection/${NAMESPACE}/default`);
    if (session === undefined) throw new Error("the connection is closed");
    const id = `Connection/${NAMESPACE}/another`;
    sessions.set({ ...session, id, name: "another", client, server: other.emulator.url, allowedRefs });
    const spec = { baseUrl: other.emulator.url, token: { secretRef: { name: "token" } } };
    const metadata = { name: "another", namespace: NAMESPACE };
    const object = { apiVersion: "baas.dev/v1alpha1", kind: "Connection", metadata, spec };
    asked.theatre.kubernetes.put("connections", object);
    put(project.kind, project.plural, { ...project.spec, connectionRef: { kind: "Connection", name: "another" } });
  }

  const written = async (): Promise<number> =>
    (await other.emulator.control.log.read({})).entries.filter(({ method }) => method !== "GET").length;

  it("is the Project's there where its connection moved", async () => {
    const life = await onBoth();
    move(life);
    expect(await life.settle(project.kind, "x")).toMatchObject({ kind: "done" });
  });

  it("is taken over by another connection as that allows", async () => {
    const life = await onBoth();
    goOver(life, undefined);
    expect(await life.settle(project.kind, "x")).toMatchObject({ kind: "done" });
  });

  it("is nothing that functions of the Project are written into before it has gone over", async () => {
    const life = await onBoth();
    goOver(life, []);
    const metadata = { name: "f", namespace: NAMESPACE };
    const spec = { projectRef: { name: "x" }, source };
    asked.theatre.kubernetes.put("edgefunctions", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "EdgeFunction",
      metadata,
      spec,
    });
    expect(await life.run("EdgeFunction", "f")).toMatchObject({ kind: "waiting", reason: "ReferenceNotReady" });
    await life.settle(project.kind, "x");
    expect(await life.run("EdgeFunction", "f")).toMatchObject({ kind: "waiting", reason: "ReferenceNotReady" });
    expect(await written()).toBe(0);
  });

  it("is not taken over by asking for another one in the place of the first", async () => {
    const life = await onBoth();
    const { ref } = projectKind.parseStatus(asked.theatre.kubernetes.get("projects", NAMESPACE, "x"));
    goOver(life, []);
    const object = asked.theatre.kubernetes.get("projects", NAMESPACE, "x");
    const annotations = { ...object?.metadata["annotations"], "baas.dev/recreate": ref };
    if (object === undefined) throw new Error("there is no Project");
    asked.theatre.kubernetes.put("projects", { ...object, metadata: { ...object.metadata, annotations } });
    expect(await life.settle(project.kind, "x")).toMatchObject({ kind: "terminal", reason: "NotAllowed" });
    expect(await written()).toBe(0);
  });

  it("is left alone at the deletion of a Project whose connection leads there, where another one has it", async () => {
    const life = await onBoth();
    const { ref } = projectKind.parseStatus(asked.theatre.kubernetes.get("projects", NAMESPACE, "x"));
    move(life);
    const session = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
    if (session === undefined) throw new Error("the connection is closed");
    const { kind, name, account: identity, server } = { ...session, server: other.emulator.url };
    asked.theatre.kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "owner", namespace: NAMESPACE, uid: "of-owner", creationTimestamp: "2026-01-02T00:00:00Z" },
      spec: { organization: "acme", ref },
      status: {
        observedGeneration: 1,
        conditions: [],
        ref,
        recordedFor: "of-owner",
        connection: { kind, name, identity, server },
      },
    });
    asked.theatre.kubernetes.delete("projects", NAMESPACE, "x");
    await life.settle(project.kind, "x");
    expect(asked.theatre.kubernetes.get("projects", NAMESPACE, "x")).toBeUndefined();
    expect(await written()).toBe(0);
    expect(life.events.filter(({ reason }) => reason === "Retained")).toHaveLength(1);
  });

  it("is not taken over by another connection that does not allow it", async () => {
    const life = await onBoth();
    goOver(life, []);
    expect(await life.settle(project.kind, "x")).toMatchObject({ kind: "terminal", reason: "NotAllowed" });
    expect(await written()).toBe(0);
  });
});
