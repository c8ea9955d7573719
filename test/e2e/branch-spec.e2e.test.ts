import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  branchOf,
  looksUntil,
  previews,
  readyProject,
  remoteBranches,
  requestBodies,
} from "../support/stage/branches.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Branch that follows its spec, and whose it is. On a real control plane and the emulator. */

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

describe.concurrent("following the spec", () => {
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
    expect(await requestBodies(room, "branches.update", before)).toEqual([
      { branch_name: "review", git_branch: "two", persistent: true },
    ]);
  });

  it("repairs declared fields that were changed by hand, and leaves the others as they are", async () => {
    const room = await stage.room("br-drift");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview", { name: "preview", gitBranch: "declared" }));
    const ref = String((await room.ready("Branch", "preview")).status["ref"]);
    await byHand(room.token, ref, { branch_name: "by-hand", git_branch: "by-hand", persistent: true });
    const before = await room.lastRequest();
    await looksUntil(room, "preview", async () => (await previews(room, project)).includes("preview"));
    expect(await requestBodies(room, "branches.update", before)).toEqual([
      { branch_name: "preview", git_branch: "declared" },
    ]);
    expect(await remoteBranches(room, project)).toContainEqual(
      expect.objectContaining({ name: "preview", persistent: true }),
    );
    const events = await room.kubectl("get", "events.events.k8s.io", "--output=jsonpath={.items[*].reason}");
    expect(events.split(" ")).toContain("DriftCorrected");
  });

  it("reports drift and leaves it where the policy is Report", async () => {
    const room = await stage.room("br-report");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview", { name: "preview", driftPolicy: "Report" }));
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

describe.concurrent("whose branch it is", () => {
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
