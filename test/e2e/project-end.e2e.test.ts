import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collected, eventually } from "../support/stage/eventually.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What a Project leaves behind when its object goes, and what it does not. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe("the generated password of a project that is kept", () => {
  it("is kept too, when the policy became Retain after the Secret was made", async () => {
    const room = await stage.room("kept-password");
    await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
    await room.ready("Project", "shop");
    const owners = "--output=jsonpath={.metadata.ownerReferences}";
    expect(await room.kubectl("get", "secret", "shop-database-password", owners)).not.toBe("");
    await room.apply(room.project("shop", { deletionPolicy: "Retain" }));
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    expect(await room.kubectl("get", "secret", "shop-database-password", owners)).toBe("");
    expect(await room.projects()).toHaveLength(1);
  });

  it("goes with a project that is deleted", async () => {
    const room = await stage.room("gone-password");
    await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
    await room.ready("Project", "shop");
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    await collected("the Secret", async () => (await room.secret("shop-database-password")) === undefined);
    expect(await room.projects()).toEqual([]);
  });
});

describe("a Project deleted while its create request is in doubt", () => {
  it("[K-01] waits, and takes the project with it that comes after all", async () => {
    const room = await stage.room("late-create");
    const { control } = stage.emulator;
    // The first request is lost without an effect, and made after the object was deleted: what a slow platform does with one that was sent.
    const after = await room.lastRequest();
    await control.faults.add({
      operation: "projects.create",
      count: null,
      fault: { kind: "half-open", phase: "before" },
    });
    await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
    await eventually("the create request is sent", async () => {
      const { entries } = await control.log.read({ operation: "projects.create", after });
      return entries.length > 0 ? true : undefined;
    });
    await stage.operator.kill("SIGKILL");
    await room.kubectl("delete", "project", "shop", "--wait=false");
    await stage.operator.startReplica();
    const waits = await room.until("Project", "shop", ({ status }) =>
      status.conditions.some(({ reason }) => reason === "ConfirmingAbsence"),
    );
    expect(waits.metadata.finalizers).toContain("baas.dev/finalizer");
    await control.faults.clear({});
    const body = { name: "shop", organization_slug: room.namespace, db_pass: "not-a-password" };
    expect((await stage.call("POST", "/v1/projects", room.token, body)).status).toBe(201);
    await room.gone("Project", "shop");
    expect(await room.projects()).toEqual([]);
  });
});
