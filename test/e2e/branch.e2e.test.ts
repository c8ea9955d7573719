import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { branchOf, isReady, looksUntil, previews, readyProject, remoteBranches } from "../support/stage/branches.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Branch from its creation until it is Ready, on a real control plane and the emulator. Later: branch-spec, branch-end. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe.concurrent("creating", () => {
  it("makes the default branch of the project first, and then one preview branch", async () => {
    const room = await stage.room("br-create");
    const project = await readyProject(room);
    await room.apply(
      branchOf(room, "shop", "preview", { gitBranch: "feature/login", notifyUrl: "https://example.com/hook" }),
    );
    const object = await room.ready("Branch", "preview");
    const [main, preview, ...more] = await remoteBranches(room, project);
    expect(main).toMatchObject({ name: "main", isDefault: true, projectRef: project });
    expect(preview).toMatchObject({ name: "preview", isDefault: false, persistent: false });
    expect(more).toEqual([]);
    expect(object.status).toMatchObject({
      id: preview?.id,
      ref: preview?.projectRef,
      parentRef: project,
      state: "FUNCTIONS_DEPLOYED",
      projectState: "ACTIVE_HEALTHY",
      host: expect.stringContaining(preview?.projectRef ?? "?"),
    });
    expect(object.metadata.finalizers).toEqual(["baas.dev/finalizer"]);
    expect(await room.writes()).toEqual(["projects.create 201", "branches.create 201", "branches.create 201"]);
  });

  it("makes one default branch for any number of objects at the same time, and none of them becomes it", async () => {
    const room = await stage.room("br-many");
    const names = ["one", "two", "three", "four", "five"];
    await room.apply([room.project("shop"), ...names.map((name) => branchOf(room, "shop", name))]);
    for (const name of names) await room.ready("Branch", name);
    const { ref } = await room.remoteProject("shop");
    const branches = await remoteBranches(room, ref);
    expect(branches.filter(({ isDefault }) => isDefault).map(({ name }) => name)).toEqual(["main"]);
    expect((await previews(room, ref)).toSorted()).toEqual(names.toSorted());
    expect((await room.writes()).filter((write) => write === "branches.create 201")).toHaveLength(1 + names.length);
  });

  it("makes one default and one preview branch when both answers are lost", async () => {
    const room = await stage.room("br-lost");
    const project = await readyProject(room);
    await stage.emulator.control.faults.add({
      operation: "branches.create",
      pathContains: project,
      count: 2,
      fault: { kind: "reset", phase: "after" },
    });
    await room.apply(branchOf(room, "shop", "preview"));
    const object = await room.ready("Branch", "preview");
    const branches = await remoteBranches(room, project);
    expect(branches.map(({ name }) => name)).toEqual(["main", "preview"]);
    expect(object.status["ref"]).toBe(branches[1]?.projectRef);
    expect(await room.writes()).toEqual(["projects.create 201", "branches.create lost", "branches.create lost"]);
  });

  it("does not let an object silently become the default branch: one of its name is a Conflict until it asks for it", async () => {
    const room = await stage.room("br-main");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "main"));
    const stalled = await room.stalled("Branch", "main", "Conflict");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("default branch");
    expect(stalled.status["ref"]).toBeUndefined();
    await room.apply(branchOf(room, "shop", "main", { adoptionPolicy: "IfNameMatches" }));
    const adopted = await room.ready("Branch", "main");
    expect(adopted.status).toMatchObject({ ref: project, isDefault: true, persistent: true });
    await room.kubectl("delete", "branch", "main", "--timeout=30s");
    expect((await remoteBranches(room, project)).map(({ name }) => name)).toEqual(["main"]);
    expect((await room.writes()).filter((write) => write.startsWith("branches.delete"))).toEqual([]);
  });

  it("[K-27] ends in the server's words where the platform refuses, and goes on when that is put right", async () => {
    const room = await stage.room("br-data");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "copy", { withData: true }));
    const stalled = await room.stalled("Branch", "copy", "Rejected");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("point-in-time recovery");
    expect(await previews(room, project)).toEqual([]);
    await stage.emulator.control.projects.patch({ ref: project, pitr: true });
    await room.reconcile("Branch", "copy");
    await room.ready("Branch", "copy");
    expect(await previews(room, project)).toEqual(["copy"]);
  });

  it("tells when the project that a ref names is not there", async () => {
    const room = await stage.room("br-noproject");
    const ref = "nosuchprojectanywher";
    await room.apply(room.ours("Branch", "lost", { projectRef: { ref } }));
    const stalled = await room.stalled("Branch", "lost", "ReferenceNotFound");
    expect(conditionOf(stalled, "Stalled")?.message).toContain(ref);
  });
});

describe.concurrent("becoming ready", () => {
  it("[K-23] is read by the branch's own paths: that of projects knows no branch", async () => {
    const room = await stage.room("br-paths");
    await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview"));
    const { status } = await room.ready("Branch", "preview");
    const ref = String(status["ref"]);
    expect((await stage.call("GET", `/v1/projects/${ref}`, room.token)).status).toBe(404);
    const { entries } = await stage.emulator.control.log.read({});
    const paths = entries.filter(({ path }) => path.includes(ref)).map(({ method, path }) => `${method} ${path}`);
    expect(paths).toContain(`GET /v1/projects/${ref}/health`);
    // The one such request is this test's own.
    expect(paths.filter((path) => path === `GET /v1/projects/${ref}`)).toHaveLength(1);
  });

  it("[K-24] waits for a final state, the branch's project and every service", async () => {
    const room = await stage.room("br-health");
    const { branches, projects } = stage.emulator.control;
    await readyProject(room);
    await branches.hold({ refOrName: "careful", at: "MIGRATIONS_PASSED" });
    await room.apply(branchOf(room, "shop", "careful"));
    const migrated = await room.until("Branch", "careful", ({ status }) => status["state"] === "MIGRATIONS_PASSED");
    expect(conditionOf(migrated, "Ready")).toMatchObject({ status: "Unknown", reason: "Provisioning" });
    const ref = String(migrated.status["ref"]);

    await projects.force({ ref, status: "RESTARTING" });
    await branches.release({ refOrName: "careful" });
    const restarting = await room.until("Branch", "careful", ({ status }) => status["projectState"] === "RESTARTING");
    expect(conditionOf(restarting, "Ready")?.status).toBe("Unknown");

    const refusing = { name: "pooler", healthy: false, status: "UNHEALTHY", error: '{"message":"Tenant not found"}' };
    const { id } = await stage.emulator.control.faults.add({
      operation: "projects.health",
      pathContains: ref,
      count: null,
      fault: { kind: "status", status: 200, body: [refusing] },
    });
    await projects.force({ ref, status: "ACTIVE_HEALTHY" });
    const unhealthy = await room.until(
      "Branch",
      "careful",
      (seen) => conditionOf(seen, "Ready")?.reason === "Unhealthy",
    );
    expect(conditionOf(unhealthy, "Ready")).toMatchObject({ status: "Unknown", message: "not healthy: pooler" });

    await stage.emulator.control.faults.remove({ id });
    await room.ready("Branch", "careful");
  });

  it("[K-24] takes no offence at the REST service while the Data API is off", async () => {
    const room = await stage.room("br-rest");
    await readyProject(room);
    await room.apply(branchOf(room, "shop", "quiet"));
    const { status } = await room.ready("Branch", "quiet");
    await stage.emulator.control.projects.patch({ ref: String(status["ref"]), dataApi: false });
    const object = await room.reconcile("Branch", "quiet");
    expect(isReady(object)).toBe(true);
    expect(object.status["services"]).toContainEqual({ name: "rest", healthy: false, state: "UNHEALTHY" });
  });

  it("says when a migration failed, deletes nothing, and recovers when it is repaired", async () => {
    const room = await stage.room("br-failed");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "broken"));
    await room.ready("Branch", "broken");
    await stage.emulator.control.branches.force({ refOrName: "broken", status: "MIGRATIONS_FAILED" });
    await looksUntil(room, "broken", (seen) => conditionOf(seen, "Stalled")?.reason === "ProvisioningFailed");
    await stage.emulator.control.branches.force({ refOrName: "broken", status: "FUNCTIONS_DEPLOYED" });
    await looksUntil(room, "broken", isReady);
    expect(await previews(room, project)).toEqual(["broken"]);
  });

  it("[K-26] is stalled, and nothing is destroyed, when the branch never comes up; it is watched all the same", async () => {
    const room = await stage.room("br-stuck");
    const project = await readyProject(room);
    await stage.emulator.control.branches.hold({ refOrName: "stuck", at: "CREATING_PROJECT" });
    await room.apply(branchOf(room, "shop", "stuck", { provisioningTimeout: "1m" }));
    await room.until("Branch", "stuck", ({ status }) => status["underway"] !== undefined);
    // Time on the object's side is real: its record of when it began is moved back instead of waiting a minute.
    const patch = JSON.stringify({ status: { underway: { operation: "Creating", since: "2020-01-01T00:00:00Z" } } });
    await room.kubectl("patch", "branch", "stuck", "--subresource=status", "--type=merge", "--patch", patch);
    await room.reconcile("Branch", "stuck");
    const stalled = await room.stalled("Branch", "stuck", "DeadlineExceeded");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("CREATING_PROJECT since 2020-01-01T00:00:00Z");
    expect(await previews(room, project)).toEqual(["stuck"]);
    await stage.emulator.control.branches.release({ refOrName: "stuck" });
    await looksUntil(room, "stuck", isReady);
    expect((await room.writes()).filter((write) => write.startsWith("branches"))).toEqual([
      "branches.create 201",
      "branches.create 201",
    ]);
  });
});

it("was never refused for its rate", async () => {
  const { byStatus } = await stage.emulator.control.log.summary({});
  expect(byStatus["429"] ?? 0).toBe(0);
});
