import { describe, expect, it } from "vitest";
import { SHOP } from "../../../test/support/controllers/asked.ts";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** What looks like a request and is none, or must not be sent: copies, bad forms, objects that only observe. */

/** Times in objects are the apiserver's, of which the operator's own clock knows nothing. */
const APISERVER_AHEAD_MS = 30 * 86_400_000;

const asked = askedInEach({}, { apiserverAheadMs: APISERVER_AHEAD_MS });

describe("nothing is sent", () => {
  const annotations = { "baas.dev/restart": "1", "baas.dev/restore-to": "1@2026-01-31T12:00:00Z" };

  it("for what stood on the object when it was first seen: a copied manifest, a restored backup", async () => {
    asked.put("Project", "shop", SHOP, annotations);
    const life = await asked.theatre.life();
    await life.settle("Project", "shop");
    await asked.settle(life, "Project", "shop");
    expect(asked.project("shop").requests).toMatchObject([
      { verb: "restart", id: "1", state: "Ignored" },
      { verb: "restore-to", id: "1", state: "Ignored" },
    ]);
    expect(await asked.calls("projects.restart")).toBe(0);
    expect(await asked.calls("backups.restorePitr")).toBe(0);
    asked.ask("Project", "shop", "restart", "2");
    await asked.settle(life, "Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(1);
  });

  it("for an object that was made again with the status of the one before", async () => {
    const life = await asked.withShop();
    asked.ask("Project", "shop", "restart", "1");
    await asked.settle(life, "Project", "shop");
    const object = asked.theatre.kubernetes.get("projects", NAMESPACE, "shop");
    if (object === undefined) throw new Error("there is no Project");
    asked.theatre.kubernetes.put("projects", {
      ...object,
      metadata: { ...object.metadata, uid: "another", annotations: { ...object.metadata.annotations, ...annotations } },
      spec: { ...SHOP, ref: asked.shopRef() },
    });
    await asked.settle(life, "Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(1);
    expect(await asked.calls("backups.restorePitr")).toBe(0);
    expect(asked.project("shop")).toMatchObject({
      requestsFor: "another",
      requests: [
        { verb: "restart", state: "Ignored" },
        { verb: "restore-to", state: "Ignored" },
      ],
    });
  });

  it("where the status was lost: nothing tells any more what was carried out", async () => {
    const life = await asked.withShop();
    asked.ask("Project", "shop", "restart", "1");
    await asked.settle(life, "Project", "shop");
    const object = asked.theatre.kubernetes.get("projects", NAMESPACE, "shop");
    const patch = { metadata: {}, status: null };
    await life.environment.kube.patchMerge(projectKind.type, { namespace: NAMESPACE, name: "shop" }, patch, {
      subresource: "status",
      fieldManager: "somebody",
      signal: new AbortController().signal,
    });
    expect(asked.theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata.uid).toBe(object?.metadata.uid);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Ignored" }]);
    expect(await asked.calls("projects.restart")).toBe(1);
  });

  it("for what was lost, and is found to have had no effect more than an hour after it was asked for", async () => {
    const life = await asked.withShop();
    await asked.theatre.emulator.control.network.ban({ ref: asked.shopRef(), address: "203.0.113.7" });
    const fault = { kind: "reset", phase: "before" } as const;
    await asked.theatre.emulator.control.faults.add({ operation: "networkBans.delete", count: null, fault });
    asked.ask("Project", "shop", "lift-network-bans", "1");
    await life.runWhileTimePasses("Project", "shop");
    expect(asked.requests("Project", "shop", "lift-network-bans")).toMatchObject([{ state: "Sending" }]);
    await asked.theatre.emulator.control.faults.clear({});
    const lost = await asked.calls("networkBans.delete");
    await asked.theatre.pass(3_700_000);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "lift-network-bans")).toMatchObject([{ state: "Expired" }]);
    expect(await asked.calls("networkBans.delete")).toBe(lost);
  });

  it.each([
    { verb: "restart", request: "a b", says: "write a request id", why: "no id" },
    {
      verb: "restart",
      request: "1@2026-01-31T12:00:00Z",
      says: "write a request id",
      why: "a parameter that it has not",
    },
    { verb: "restore-to", request: "1", says: "7@2026-01-31T12:00:00Z", why: "no time" },
    {
      verb: "restore-to",
      request: "1@2026-02-31T12:00:00Z",
      says: "7@2026-01-31T12:00:00Z",
      why: "a day that there is not",
    },
    { verb: "restore-to", request: "1@2026-01-31", says: "7@2026-01-31T12:00:00Z", why: "a day without a time" },
    { verb: "restore-to", request: "1@2126-01-31T12:00:00Z", says: "yet to come", why: "a time that is yet to come" },
    { verb: "lift-network-bans", request: "1@203.0.113", says: "203.0.113.7", why: "no address" },
  ])("for what is not well-formed: $why", async ({ verb, request, says }) => {
    const life = await asked.withShop();
    const { last } = await asked.theatre.emulator.control.log.read({});
    asked.ask("Project", "shop", verb, request);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", verb)).toMatchObject([
      { state: "Refused", message: expect.stringContaining(says) },
    ]);
    expect(asked.condition("Project", "shop", "RequestFailed")).toMatchObject({ status: "True" });
    const { entries } = await asked.theatre.emulator.control.log.read({ after: last });
    expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("where the object only observes, or is paused", async () => {
    const life = await asked.withShop();
    asked.put("Project", "shop", { ...SHOP, managementPolicy: "Observe" });
    asked.ask("Project", "shop", "restart", "1");
    await life.settle("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([
      { state: "Refused", message: expect.stringContaining("Observe") },
    ]);
    asked.put("Project", "shop", SHOP, { "baas.dev/paused": "true", "baas.dev/restart": "2" });
    await life.run("Project", "shop");
    expect(asked.condition("Project", "shop", "Paused")).toMatchObject({ status: "True" });
    expect(await asked.calls("projects.restart")).toBe(0);
  });

  it.each([
    { restMs: 3_500_000, state: "Succeeded", calls: 1, why: "not yet for an hour" },
    { restMs: 3_700_000, state: "Refused", calls: 0, why: "for more than an hour" },
  ])("any more for what stood there while the object was paused: $why", async ({ restMs, state, calls }) => {
    const life = await asked.withShop();
    asked.ask("Project", "shop", "paused", "true");
    asked.ask("Project", "shop", "restart", "1");
    await life.run("Project", "shop");
    await asked.theatre.pass(restMs);
    await life.run("Project", "shop");
    asked.ask("Project", "shop", "paused", undefined);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ id: "1", state }]);
    await life.run("Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(calls);
    asked.ask("Project", "shop", "restart", "2");
    await asked.settle(life, "Project", "shop");
    expect(await asked.calls("projects.restart"), "another id").toBe(calls + 1);
  });

  it.each([
    { restMs: 3_400_000, state: "Succeeded", calls: 1, tells: "undefined", why: "not yet for an hour" },
    { restMs: 3_700_000, state: "Expired", calls: 0, tells: "another id asks for it", why: "for more than an hour" },
  ])("any more for what was seen and could not be sent, as the platform was away: $why", async (row) => {
    const { restMs, state, calls, tells } = row;
    const life = await asked.withShop();
    await asked.theatre.emulator.control.faults.add({
      operation: "*",
      count: null,
      fault: { kind: "status", status: 503 },
    });
    asked.ask("Project", "shop", "restart", "1");
    await life.runWhileTimePasses("Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ id: "1", state: "Waiting" }]);
    await asked.theatre.emulator.control.faults.clear();
    await asked.theatre.pass(restMs);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ id: "1", state }]);
    await life.run("Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(calls);
    expect(String(JSON.stringify(asked.condition("Project", "shop", "RequestFailed")))).toContain(tells);
  });

  it.each([
    { agesMs: [3_400_000], state: "Succeeded", calls: 1, why: "not yet for an hour" },
    { agesMs: [86_400_000 * 3], state: "Expired", calls: 0, why: "for days" },
    {
      agesMs: [86_400_000 * 3, 60_000],
      state: "Succeeded",
      calls: 1,
      why: "for days, and set again just now by another",
    },
  ])("any more for what nobody watched, as the apiserver tells of when it was set: $why", async (row) => {
    const { agesMs, state, calls } = row;
    const life = await asked.withShop();
    const managedFields = agesMs.map((ageMs, nth) => ({
      manager: `person-${nth}`,
      operation: "Update",
      time: new Date(asked.theatre.clock.now() + APISERVER_AHEAD_MS - ageMs).toISOString(),
      fieldsV1: { "f:metadata": { "f:annotations": { "f:baas.dev/restart": {} } } },
    }));
    const other = {
      manager: "gitops",
      operation: "Apply",
      time: new Date(0).toISOString(),
      fieldsV1: { "f:spec": {} },
    };
    asked.ask("Project", "shop", "restart", "1");
    const object = asked.theatre.kubernetes.get("projects", NAMESPACE, "shop");
    if (object === undefined) throw new Error("there is no Project");
    const metadata = { ...object.metadata, managedFields: [other, ...managedFields] };
    asked.theatre.kubernetes.put("projects", { ...object, metadata });
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ id: "1", state }]);
    expect(await asked.calls("projects.restart")).toBe(calls);
  });

  it("for an id that stands for another request of the same verb", async () => {
    const life = await asked.withShop();
    asked.ask("Project", "shop", "lift-network-bans", "1");
    await asked.settle(life, "Project", "shop");
    asked.ask("Project", "shop", "lift-network-bans", "1@203.0.113.7");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "lift-network-bans")[1]).toMatchObject({
      state: "Refused",
      message: expect.stringContaining("write a new one"),
    });
  });

  it("any more for what was corrected before it was sent, and the corrected one goes by the same id", async () => {
    const life = await asked.withShop();
    await asked.theatre.emulator.control.faults.add({
      operation: "*",
      count: null,
      fault: { kind: "status", status: 503 },
    });
    asked.ask("Project", "shop", "lift-network-bans", "1@203.0.113.7");
    await life.runWhileTimePasses("Project", "shop");
    expect(asked.requests("Project", "shop", "lift-network-bans")).toMatchObject([{ state: "Waiting" }]);
    asked.ask("Project", "shop", "lift-network-bans", "1@203.0.113.8");
    await asked.theatre.emulator.control.faults.clear();
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "lift-network-bans")).toMatchObject([
      { request: "1@203.0.113.8", state: "Succeeded" },
    ]);
  });

  it("by a run that could not record it first", async () => {
    const life = await asked.withShop();
    asked.ask("Project", "shop", "restart", "1");
    asked.theatre.kubernetes.failWrite(0, "refused");
    await life.run("Project", "shop");
    expect(await asked.calls("projects.restart")).toBe(0);
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("projects.restart")).toBe(1);
  });
});
