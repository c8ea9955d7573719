import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { branchOf, isReady, looksUntil, previews, readyProject, remoteBranches } from "../support/stage/branches.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Branch from its creation through its changes, on a real control plane and the emulator. Its end: branch-end.e2e.test.ts. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** What a human does to a branch on the platform. */
async function byHand(token: string, ref: string, body: object): Promise<void> {
  const { status } = await stage.call("PATCH", `/v1/branches/${ref}`, token, body);
  expect(status).toBe(200);
}

describe("creating", () => {
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

describe("becoming ready", () => {
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

describe("following the spec", () => {
  it("changes in place, in one request with exactly the fields that differ", async () => {
    const room = await stage.room("br-change");
    await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview", { gitBranch: "one", notifyUrl: "https://example.com" }));
    const { status } = await room.ready("Branch", "preview");
    const before = await room.lastRequest();
    await room.apply(
      branchOf(room, "shop", "preview", {
        name: "review",
        gitBranch: "two",
        persistent: true,
        notifyUrl: "https://example.com",
      }),
    );
    const changed = await room.ready("Branch", "preview");
    expect(changed.status).toMatchObject({ ref: status["ref"], name: "review", persistent: true });
    const { entries } = await stage.emulator.control.log.read({ operation: "branches.update", after: before });
    expect(entries.map(({ body }) => body)).toEqual([{ branch_name: "review", git_branch: "two", persistent: true }]);
  });

  it("repairs declared fields that were changed by hand, and leaves the others as they are", async () => {
    const room = await stage.room("br-drift");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview", { gitBranch: "declared" }));
    const ref = String((await room.ready("Branch", "preview")).status["ref"]);
    await byHand(room.token, ref, { branch_name: "by-hand", git_branch: "by-hand", persistent: true });
    const before = await room.lastRequest();
    await looksUntil(room, "preview", async () => (await previews(room, project)).includes("preview"));
    const { entries } = await stage.emulator.control.log.read({ operation: "branches.update", after: before });
    expect(entries.map(({ body }) => body)).toEqual([{ branch_name: "preview", git_branch: "declared" }]);
    expect(await remoteBranches(room, project)).toContainEqual(
      expect.objectContaining({ name: "preview", persistent: true }),
    );
    const events = await room.kubectl("get", "events.events.k8s.io", "--output=jsonpath={.items[*].reason}");
    expect(events.split(" ")).toContain("DriftCorrected");
  });

  it("reports drift and leaves it where the policy is Report", async () => {
    const room = await stage.room("br-report");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview", { driftPolicy: "Report" }));
    const ref = String((await room.ready("Branch", "preview")).status["ref"]);
    await byHand(room.token, ref, { branch_name: "by-hand" });
    const object = await looksUntil(room, "preview", (seen) => conditionOf(seen, "Drifted")?.status === "True");
    expect(conditionOf(object, "Drifted")?.message).toBe("differs remotely: spec.name");
    expect(await previews(room, project)).toEqual(["by-hand"]);
  });

  it("does nothing while paused by annotation, and catches up after", async () => {
    const room = await stage.room("br-paused");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview"));
    await room.ready("Branch", "preview");
    await room.kubectl("annotate", "branch", "preview", "baas.dev/paused=true");
    await room.until("Branch", "preview", (object) => conditionOf(object, "Paused")?.status === "True");
    await room.apply(branchOf(room, "shop", "preview", { name: "renamed" }));
    const paused = await room.get("Branch", "preview");
    expect(paused.status.observedGeneration).toBeLessThan(paused.metadata.generation);
    expect(await previews(room, project)).toEqual(["preview"]);
    await room.kubectl("annotate", "branch", "preview", "baas.dev/paused-");
    await room.ready("Branch", "preview");
    expect(await previews(room, project)).toEqual(["renamed"]);
  });

  it("writes nothing more, neither remotely nor to its status, once all is as declared", async () => {
    const room = await stage.room("br-idle");
    await readyProject(room);
    await room.apply(
      branchOf(room, "shop", "preview", { gitBranch: "one", ttl: "72h", notifyUrl: "https://example.com" }),
    );
    await room.ready("Branch", "preview");
    const settled = await room.reconcile("Branch", "preview");
    const before = await room.lastRequest();
    await room.kubectl("annotate", "branch", "preview", "unrelated=1");
    const again = await room.reconcile("Branch", "preview");
    expect({ ...again.status, lastHandledReconcileAt: "" }).toEqual({ ...settled.status, lastHandledReconcileAt: "" });
    expect(await room.writes(before)).toEqual([]);
  });
});

describe("whose branch it is", () => {
  it("takes over a branch of its name only where the policy says so", async () => {
    const room = await stage.room("br-adopt");
    const ref = "brownerbrownerbrowne";
    const seeded = { name: "seeded", organization: room.namespace, ref };
    await stage.emulator.control.state.seed({
      projects: [{ ...seeded, branches: [{ name: "main" }, { name: "review" }] }],
    });
    await room.apply(room.ours("Branch", "review", { projectRef: { ref } }));
    const stalled = await room.stalled("Branch", "review", "Conflict");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("IfNameMatches");
    await room.apply(room.ours("Branch", "review", { projectRef: { ref }, adoptionPolicy: "IfNameMatches" }));
    const adopted = await room.ready("Branch", "review");
    expect((await remoteBranches(room, ref)).map(({ projectRef }) => projectRef)).toContain(adopted.status["ref"]);
    expect(await room.writes()).toEqual([]);
  });

  it("only reads where managementPolicy is Observe, and touches nothing when the object goes", async () => {
    const room = await stage.room("br-observe");
    const ref = "brobservebrobservebr";
    const seeded = { name: "seeded", organization: room.namespace, ref };
    await stage.emulator.control.state.seed({
      projects: [{ ...seeded, branches: [{ name: "main" }, { name: "seen" }] }],
    });
    const spec = {
      projectRef: { ref },
      managementPolicy: "Observe",
      adoptionPolicy: "IfNameMatches",
      gitBranch: "other",
    };
    await room.apply(room.ours("Branch", "seen", spec));
    const object = await room.ready("Branch", "seen");
    expect(object.metadata.finalizers).toEqual([]);
    await room.apply(room.ours("Branch", "unseen", spec));
    await room.stalled("Branch", "unseen", "InvalidSpec");
    await room.kubectl("delete", "branch", "seen", "unseen", "--timeout=30s");
    expect(await room.writes()).toEqual([]);
    expect(await previews(room, ref)).toEqual(["seen"]);
  });

  it("leaves a copied manifest alone: OwnedElsewhere, no write, and its deletion touches nothing", async () => {
    const room = await stage.room("br-copied");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview"));
    const original = await room.ready("Branch", "preview");
    const before = await room.lastRequest();
    const annotations = { "baas.dev/ref": original.metadata.annotations["baas.dev/ref"] };
    const copy = branchOf(room, "shop", "copy", { name: "preview" });
    await room.apply({ ...copy, metadata: { name: "copy", namespace: room.namespace, annotations } });
    await room.stalled("Branch", "copy", "OwnedElsewhere");
    await room.kubectl("delete", "branch", "copy", "--timeout=30s");
    expect(await room.writes(before)).toEqual([]);
    expect(await previews(room, project)).toEqual(["preview"]);
  });

  it("lets one of two objects own a name, and the other have it when that one is gone", async () => {
    const room = await stage.room("br-two");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "first", { name: "preview" }));
    const first = await room.ready("Branch", "first");
    await room.apply(branchOf(room, "shop", "second", { name: "preview", adoptionPolicy: "IfNameMatches" }));
    const stalled = await room.stalled("Branch", "second", "Conflict");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("Branch first");
    await room.kubectl("delete", "branch", "first", "--timeout=30s");
    const second = await room.ready("Branch", "second");
    expect(second.status["ref"]).not.toBe(first.status["ref"]);
    expect(await previews(room, project)).toEqual(["preview"]);
  });
});

it("was never refused for its rate", async () => {
  const { byStatus } = await stage.emulator.control.log.summary({});
  expect(byStatus["429"] ?? 0).toBe(0);
});
