import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { type Manifest, type Room, conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What the owner of a ClusterConnection allows: namespaces, organizations and refs. Nothing is asked of the platform before. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** A ClusterConnection with the token of the room. */
async function clusterConnection(room: Room, name: string, allowed: Manifest): Promise<void> {
  const token = { secretRef: { namespace: room.namespace, name: "token" } };
  const spec = { baseUrl: room.emulator.url, token, ...allowed };
  await room.apply({ apiVersion: "baas.dev/v1alpha1", kind: "ClusterConnection", metadata: { name }, spec });
}

const selected = (...names: readonly string[]): Manifest => ({ from: "Selected", names });

function through(room: Room, connection: string, spec: Manifest = {}): Manifest {
  return room.project("shop", { connectionRef: { kind: "ClusterConnection", name: connection }, ...spec });
}

/** The Project `shop` refused with a message, and no request of it. */
async function refused(room: Room, matching: RegExp): Promise<void> {
  const object = await room.stalled("Project", "shop", "NotAllowed");
  expect(conditionOf(object, "Stalled")?.message).toMatch(matching);
  // Nothing was about to be written for it.
  expect(object.metadata.finalizers).toEqual([]);
}

describe("a namespace that a ClusterConnection does not admit", () => {
  it("is told so, and served once its name is listed", async () => {
    const room = await stage.room("allow-name");
    await clusterConnection(room, "by-name", { allowedNamespaces: selected("another") });
    const after = await room.lastRequest();
    await room.apply(through(room, "by-name"));
    await refused(room, /by-name does not admit namespace allow-name/u);
    expect(await room.writes(after)).toEqual([]);
    await clusterConnection(room, "by-name", { allowedNamespaces: selected("another", "allow-name") });
    const { status } = await room.ready("Project", "shop");
    expect(status["connection"]).toMatchObject({ kind: "ClusterConnection", name: "by-name" });
  });

  it("is served once it has the label", async () => {
    const room = await stage.room("allow-label");
    const selector = { matchLabels: { team: "shop" } };
    await clusterConnection(room, "by-label", { allowedNamespaces: { from: "Selected", selector } });
    await room.apply(through(room, "by-label"));
    await refused(room, /allowedNamespaces/u);
    await room.kubectl("label", "namespace", room.namespace, "team=shop");
    await room.ready("Project", "shop");
    expect(await room.projects()).toHaveLength(1);
  });
});

describe("an organization that a ClusterConnection does not allow", () => {
  it("is named, and gets its project once it is listed", async () => {
    const room = await stage.room("allow-org");
    const allowedNamespaces = selected(room.namespace);
    await clusterConnection(room, "by-org", { allowedNamespaces, allowedOrganizations: ["another"] });
    const after = await room.lastRequest();
    await room.apply(through(room, "by-org"));
    await refused(room, /by-org does not allow the organization allow-org/u);
    expect(await room.writes(after)).toEqual([]);
    await clusterConnection(room, "by-org", { allowedNamespaces, allowedOrganizations: ["another", room.namespace] });
    await room.ready("Project", "shop");
  });
});

describe("a project that a ClusterConnection does not let be taken over", () => {
  it("is named, and adopted once its ref is listed", async () => {
    const room = await stage.room("allow-ref");
    const body = { name: "by-hand", organization_slug: room.namespace, db_pass: "not-a-password" };
    expect((await stage.call("POST", "/v1/projects", room.token, body)).status).toBe(201);
    const { ref } = await room.remoteProject("by-hand");
    const allowedNamespaces = selected(room.namespace);
    await clusterConnection(room, "by-ref", { allowedNamespaces });
    await room.apply(through(room, "by-ref", { ref }));
    await refused(room, new RegExp(`by-ref does not allow taking over ${ref}`, "u"));
    await clusterConnection(room, "by-ref", { allowedNamespaces, allowedRefs: [ref] });
    expect((await room.ready("Project", "shop")).status["ref"]).toBe(ref);
    const kept = await room.kubectl("get", "clusterconnection", "by-ref", "--output=jsonpath={.metadata.finalizers}");
    expect(kept).toContain("baas.dev/connection-in-use");
    expect(await room.projects()).toHaveLength(1);
  });
});

describe("the ClusterConnection named default", () => {
  it("serves an admitted namespace without a Connection of that name, no other, and is kept while it does", async () => {
    const admitted = await stage.room("default-in");
    const outside = await stage.room("default-out");
    for (const room of [admitted, outside]) await room.kubectl("delete", "connection", "default", "--timeout=20s");
    await clusterConnection(admitted, "default", { allowedNamespaces: selected(admitted.namespace) });
    await admitted.apply(admitted.project("shop"));
    await outside.apply(outside.project("shop"));
    const { status } = await admitted.ready("Project", "shop");
    expect(status["connection"]).toMatchObject({ kind: "ClusterConnection", name: "default" });
    const waiting = await outside.until(
      "Project",
      "shop",
      (object) => conditionOf(object, "Reconciling")?.reason === "ConnectionNotFound",
    );
    expect(conditionOf(waiting, "Reconciling")?.message).toMatch(/no ClusterConnection of that name admits it/u);
    expect(await outside.projects()).toEqual([]);
    const names = selected(admitted.namespace, outside.namespace);
    const organizations = { allowedOrganizations: [admitted.namespace] };
    await clusterConnection(admitted, "default", { allowedNamespaces: names, ...organizations });
    await refused(outside, /does not allow the organization default-out/u);
    succeeded(await kubectl(stage.cluster, ["delete", "clusterconnection", "default", "--wait=false"]));
    await admitted.until(
      "ClusterConnection",
      "default",
      (object) => conditionOf(object, "Reconciling")?.reason === "InUse",
    );
    for (const room of [admitted, outside]) await room.kubectl("delete", "project", "shop", "--timeout=30s");
    await admitted.gone("ClusterConnection", "default");
  });
});
