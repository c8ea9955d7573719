import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Projects that are not made, or not taken over, on a real control plane and the emulator: who refuses, and what the object says. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe("a create request that the platform refuses", () => {
  it.each([
    { status: 402, reason: "PlanLimit", why: "somebody has to pay, and no retry will" },
    { status: 403, reason: "Forbidden", why: "the token lacks a permission" },
    { status: 400, reason: "Rejected", why: "a value that the platform does not take" },
  ])(
    "with $status is Stalled for $reason, asked once, and goes on when asked to ($why)",
    async ({ status, reason }) => {
      const room = await stage.room(`refused-${status}`);
      const message = "This organization cannot have another project";
      await stage.emulator.control.faults.add({
        operation: "projects.create",
        count: null,
        fault: { kind: "status", status, body: { message } },
      });
      await room.apply(room.project("shop"));
      const object = await room.stalled("Project", "shop", reason);
      expect(conditionOf(object, "Stalled")?.message).toContain(`could not create the project: ${message}`);
      expect(object.status["intent"]).toBeUndefined();
      expect(await room.writes()).toEqual([`projects.create ${status}`]);
      await stage.emulator.control.faults.clear({});
      await room.reconcile("Project", "shop");
      await room.ready("Project", "shop");
    },
  );
});

describe("taking over by name", () => {
  it("needs the leave of the ClusterConnection, as taking over by ref does", async () => {
    const room = await stage.room("by-name");
    const ref = "foundbynamefoundbyna";
    await stage.emulator.control.state.seed({ projects: [{ name: "shop", organization: room.namespace, ref }] });
    const connection = (allowedRefs: readonly string[]) => ({
      apiVersion: "baas.dev/v1alpha1",
      kind: "ClusterConnection",
      metadata: { name: room.namespace },
      spec: {
        baseUrl: stage.emulator.url,
        token: { secretRef: { name: "token", namespace: room.namespace } },
        allowedNamespaces: { names: [room.namespace] },
        allowedRefs,
      },
    });
    const connectionRef = { kind: "ClusterConnection", name: room.namespace };
    await room.apply([connection([]), room.project("shop", { connectionRef, adoptionPolicy: "IfNameMatches" })]);
    const object = await room.stalled("Project", "shop", "NotAllowed");
    expect(conditionOf(object, "Stalled")?.message).toContain(ref);
    expect(object.status["ref"]).toBeUndefined();
    await room.apply(connection([ref]));
    expect((await room.ready("Project", "shop")).status["ref"]).toBe(ref);
    expect(await room.writes()).toEqual([]);
  });

  it("leaves a project alone that another object has under another name", async () => {
    const room = await stage.room("has-owner");
    await room.apply(room.project("first", { driftPolicy: "Report" }));
    const ref = String((await room.ready("Project", "first")).status["ref"]);
    await stage.call("PATCH", `/v1/projects/${ref}`, room.token, { name: "renamed" });
    const spec = { name: "renamed", adoptionPolicy: "IfNameMatches", state: "Paused", deletionPolicy: "Delete" };
    await room.apply(room.project("second", spec));
    const second = await room.stalled("Project", "second", "Conflict");
    expect(conditionOf(second, "Stalled")?.message).toContain("first");
    expect((await room.projects()).map(({ status }) => status)).toEqual(["ACTIVE_HEALTHY"]);
    await room.kubectl("delete", "project", "second", "--timeout=30s");
    expect((await room.projects()).map((project) => project.ref)).toEqual([ref]);
  });
});
