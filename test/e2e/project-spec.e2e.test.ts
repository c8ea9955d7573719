import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/stage/eventually.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** How a Project follows its spec, on a real control plane and the emulator. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe("following the spec", () => {
  it("renames in place, and repairs a name that was changed by hand", async () => {
    const room = await stage.room("rename");
    await room.apply(room.project("shop"));
    const created = await room.ready("Project", "shop");
    await room.apply(room.project("shop", { name: "boutique" }));
    await room.ready("Project", "shop");
    const remote = await room.remoteProject("boutique");
    expect(remote.ref).toBe(created.status["ref"]);
    await stage.call("PATCH", `/v1/projects/${remote.ref}`, room.token, { name: "by-hand" });
    await room.reconcile("Project", "shop");
    expect((await room.remoteProject("boutique")).ref).toBe(remote.ref);
  });

  it("reports drift and leaves it where the policy is Report", async () => {
    const room = await stage.room("report");
    await room.apply(room.project("shop", { driftPolicy: "Report", name: "shop", state: "Running" }));
    const { ref } = (await room.ready("Project", "shop")).status;
    await stage.call("PATCH", `/v1/projects/${String(ref)}`, room.token, { name: "by-hand" });
    const object = await room.reconcile("Project", "shop");
    expect(conditionOf(object, "Drifted")).toMatchObject({ status: "True", message: "differs remotely: spec.name" });
    expect((await room.remoteProject("by-hand")).ref).toBe(ref);
    await stage.call("POST", `/v1/projects/${String(ref)}/pause`, room.token);
    await eventually("the pause has ended", async () =>
      (await room.remoteProject("by-hand")).status === "INACTIVE" ? true : undefined,
    );
    const paused = await room.reconcile("Project", "shop");
    expect(conditionOf(paused, "Ready")).toMatchObject({ status: "True", reason: "Paused" });
    expect(await room.writes()).toEqual(["projects.create 201", "projects.update 200", "projects.pause 200"]);
  });

  it("[K-03] pauses, and resumes once the pause has ended", async () => {
    const room = await stage.room("pause");
    await room.apply(room.project("shop", { state: "Running" }));
    await room.ready("Project", "shop");
    await room.apply(room.project("shop", { state: "Paused" }));
    await room.until(
      "Project",
      "shop",
      ({ status }) => status["state"] === "PAUSING" || status["state"] === "INACTIVE",
    );
    await room.apply(room.project("shop", { state: "Running" }));
    await room.until("Project", "shop", ({ status }) => status["state"] === "ACTIVE_HEALTHY");
    await room.ready("Project", "shop");
    const writes = await room.writes();
    expect(writes.filter((write) => write === "projects.pause 200")).toHaveLength(1);
    expect(writes.filter((write) => write.startsWith("projects.restore"))).toEqual(["projects.restore 200"]);
  });

  it("[K-03] is stalled with the time stuck when the pause never ends, watches on, and resumes when it does", async () => {
    const room = await stage.room("endless-pause");
    await room.apply(room.project("shop", { name: "endless", state: "Running" }));
    await room.ready("Project", "shop");
    await stage.emulator.control.projects.hold({ refOrName: "endless", at: "PAUSING" });
    await room.apply(room.project("shop", { name: "endless", state: "Paused" }));
    await room.until("Project", "shop", ({ status }) => status["state"] === "PAUSING");
    await room.apply(room.project("shop", { name: "endless", state: "Running" }));
    const before = await room.lastRequest();
    const underway = { operation: "Pausing", since: "2020-01-01T00:00:00Z" };
    const patch = ["patch", "project", "shop", "--subresource=status", "--type=merge", "--patch"];
    await room.kubectl(...patch, JSON.stringify({ status: { underway } }));
    await room.reconcile("Project", "shop");
    const stalled = await room.stalled("Project", "shop", "DeadlineExceeded");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("since 2020-01-01T00:00:00Z");
    const { entries } = await stage.emulator.control.log.read({ after: before, operation: "projects.get" });
    const { ref } = stalled.status;
    // A look for each change that was made here, and no hot loop between them.
    expect(entries.filter(({ scope }) => scope === ref).length).toBeLessThan(10);
    await stage.emulator.control.projects.release({ refOrName: "endless" });
    await eventually("the pause has ended", async () =>
      (await room.remoteProject("endless")).status === "INACTIVE" ? true : undefined,
    );
    await room.reconcile("Project", "shop");
    await room.ready("Project", "shop");
    expect(await room.writes(before)).toEqual(["projects.restore 200"]);
  });

  it("[K-07] writes a rotated password once, and no other time", async () => {
    const room = await stage.room("password");
    const secret = (value: string) => room.manifest("v1", "Secret", "db", { stringData: { password: value } });
    await room.apply(secret("first-password"));
    await room.apply(room.project("shop", { databasePassword: { secretKeyRef: { name: "db" } } }));
    await room.ready("Project", "shop");
    await room.apply(secret("second-password"));
    await room.reconcile("Project", "shop");
    await room.reconcile("Project", "shop");
    expect((await room.remoteProject("shop")).databasePassword.changes).toBe(1);
  });

  it("does nothing while paused by annotation, and catches up after", async () => {
    const room = await stage.room("paused");
    await room.apply(room.project("shop"));
    await room.ready("Project", "shop");
    await room.kubectl("annotate", "project", "shop", "baas.dev/paused=true");
    await room.until("Project", "shop", (object) => conditionOf(object, "Paused")?.status === "True");
    await room.apply(room.project("shop", { name: "later" }));
    const paused = await room.get("Project", "shop");
    expect(paused.status.observedGeneration).toBeLessThan(paused.metadata.generation);
    await room.kubectl("annotate", "project", "shop", "baas.dev/paused-");
    await room.ready("Project", "shop");
    expect((await room.remoteProject("later")).name).toBe("later");
  });
});

it("was never refused for its rate", async () => {
  const { byStatus } = await stage.emulator.control.log.summary({});
  expect(byStatus["429"] ?? 0).toBe(0);
});
