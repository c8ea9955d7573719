import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { branchOf, isReady, looksUntil, previews, readyProject, remoteBranches } from "../support/stage/branches.ts";
import { BELIEVED_GONE_WITHIN_MS, eventually } from "../support/stage/eventually.ts";
import { conditionOf, type Room, type SeenObject } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** How a Branch ends: at its ttl, by deletion, by loss. On a real control plane and the emulator. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const HOUR_MS = 3_600_000;

/** Lets time pass on the platform and makes the operator hear of it: an answer tells the platform's time. */
async function passOnPlatform(room: Room, ms: number): Promise<void> {
  await stage.emulator.control.time.advance({ ms });
  await room.reconcile("Connection", "default");
}

/** Makes a branch vanish, as if somebody had deleted it in the dashboard. */
async function deleteByHand(room: Room, ref: string): Promise<void> {
  await stage.call("PATCH", `/v1/branches/${ref}`, room.token, { persistent: false });
  const { status } = await stage.call("DELETE", `/v1/branches/${ref}`, room.token);
  expect(status).toBe(200);
}

function isExpired(object: SeenObject): boolean {
  return conditionOf(object, "Expired")?.status === "True";
}

// One after the other: they share the platform's time.
describe("the end of a ttl", () => {
  it("deletes the remote branch and keeps the object, Expired and Ready, until its spec changes", async () => {
    const room = await stage.room("end-ttl");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview", { ttl: "1h" }));
    const object = await room.ready("Branch", "preview");
    const created = Date.parse(String(object.status["createdAt"]));
    expect(Date.parse(String(object.status["expiresAt"]))).toBe(Math.floor((created + HOUR_MS) / 1000) * 1000);

    await passOnPlatform(room, HOUR_MS);
    await room.reconcile("Branch", "preview");
    const expired = await room.until("Branch", "preview", isExpired);
    expect(conditionOf(expired, "Ready")).toMatchObject({ status: "True", reason: "Expired" });
    expect(expired.status["ref"]).toBeUndefined();
    expect(expired.metadata.annotations["baas.dev/ref"]).toBeUndefined();
    expect(await previews(room, project)).toEqual([]);

    // What GitOps does for ever: the same manifest again, and a look.
    const before = await room.lastRequest();
    await room.apply(branchOf(room, "shop", "preview", { ttl: "1h" }));
    await room.reconcile("Branch", "preview");
    expect(await room.writes(before)).toEqual([]);

    await room.apply(branchOf(room, "shop", "preview", { ttl: "2h" }));
    const revived = await room.until("Branch", "preview", (seen) => isReady(seen) && seen.status["ref"] !== undefined);
    expect(isExpired(revived)).toBe(false);
    expect(revived.status["ref"]).not.toBe(object.status["ref"]);
    expect(await previews(room, project)).toEqual(["preview"]);
  });

  it("comes by itself, when it is due and not at the next drift check", async () => {
    const room = await stage.room("end-due");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "brief", { ttl: "1m" }));
    await room.ready("Branch", "brief");
    await passOnPlatform(room, 45_000);
    await room.reconcile("Branch", "brief"); // hears how late it is; nothing else is asked of it
    await room.until("Branch", "brief", isExpired);
    expect(await previews(room, project)).toEqual([]);
  });

  it("is not put off by a restart of the operator", async () => {
    const room = await stage.room("end-restart");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "brief", { ttl: "1m", driftPolicy: "Ignore" }));
    await room.ready("Branch", "brief");
    // The operator's own time: its record of the end is moved instead of waiting for it.
    const soon = new Date(Date.now() + 1000).toISOString().replace(/\.\d+Z$/, "Z");
    const patch = JSON.stringify({ status: { expiresAt: soon } });
    await room.kubectl("patch", "branch", "brief", "--subresource=status", "--type=merge", "--patch", patch);
    await stage.emulator.control.time.advance({ ms: 60_000 });
    await stage.operator.restart();
    await stage.operator.waitReady();
    await room.until("Branch", "brief", isExpired);
    expect(await previews(room, project)).toEqual([]);
  });

  it("is not taken for a loss when the operator dies between the deletion and its note", async () => {
    const room = await stage.room("end-crash");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview", { ttl: "1h" }));
    const ref = String((await room.ready("Branch", "preview")).status["ref"]);
    await passOnPlatform(room, HOUR_MS);
    await deleteByHand(room, ref); // what the operator did before it died
    await looksUntil(room, "preview", isExpired, BELIEVED_GONE_WITHIN_MS);
    expect((await room.writes()).filter((write) => write.startsWith("branches.create"))).toHaveLength(2);
    expect(await previews(room, project)).toEqual([]);
  });

  it("is refused for a branch that the platform keeps, rather than not honoured in silence", async () => {
    const room = await stage.room("end-kept");
    await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview"));
    const ref = String((await room.ready("Branch", "preview")).status["ref"]);
    await stage.call("PATCH", `/v1/branches/${ref}`, room.token, { persistent: true });
    await room.apply(branchOf(room, "shop", "preview", { ttl: "1h" }));
    const stalled = await looksUntil(room, "preview", (seen) => conditionOf(seen, "Stalled")?.reason === "InvalidSpec");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("persistent: false");
  });
});

describe.concurrent("deleting", () => {
  it("deletes a branch that is not persistent, and waits until it is gone", async () => {
    const room = await stage.room("end-delete");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview"));
    await room.ready("Branch", "preview");
    await room.kubectl("delete", "branch", "preview", "--timeout=30s");
    expect(await previews(room, project)).toEqual([]);
    expect((await room.writes()).slice(-1)).toEqual(["branches.delete 200"]);
  });

  it("[K-25] makes a persistent branch non-persistent first, and then deletes it", async () => {
    const room = await stage.room("end-persistent");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "staging", { persistent: true, deletionPolicy: "Delete" }));
    await room.ready("Branch", "staging");
    await room.kubectl("delete", "branch", "staging", "--timeout=30s");
    expect(await previews(room, project)).toEqual([]);
    expect((await room.writes()).slice(-2)).toEqual(["branches.update 200", "branches.delete 200"]);
  });

  it.each([
    { name: "declared", spec: { persistent: true }, hand: false, because: "it is declared persistent" },
    { name: "by-hand", spec: {}, hand: true, because: "somebody made it persistent on the platform" },
  ])("keeps a branch by default where $because", async ({ name, spec, hand }) => {
    const room = await stage.room(`end-keep-${name}`);
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "staging", spec));
    const { status } = await room.ready("Branch", "staging");
    if (hand) {
      await stage.call("PATCH", `/v1/branches/${String(status["ref"])}`, room.token, { persistent: true });
      await looksUntil(room, "staging", (seen) => seen.status["persistent"] === true);
    }
    const { status: last } = await room.get("Branch", "staging");
    expect(last["effective"]).toMatchObject({ deletionPolicy: { value: "Retain", origin: "Default" } });
    await room.kubectl("delete", "branch", "staging", "--timeout=30s");
    expect(await previews(room, project)).toEqual(["staging"]);
  });

  it("counts a branch whose deletion is scheduled as gone, and does not hurry it", async () => {
    const room = await stage.room("end-soft");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview"));
    const ref = String((await room.ready("Branch", "preview")).status["ref"]);
    await stage.emulator.control.projects.patch({ ref: project, softBranchDeletion: true });
    await stage.call("DELETE", `/v1/branches/${ref}?force=false`, room.token);
    const before = await room.lastRequest();
    const object = await looksUntil(room, "preview", (seen) => seen.status["deletionScheduledAt"] !== undefined);
    expect(conditionOf(object, "Ready")).toMatchObject({ status: "Unknown", reason: "Deleting" });
    await room.kubectl("delete", "branch", "preview", "--timeout=30s");
    expect(await room.writes(before)).toHaveLength(0);
    expect(await previews(room, project)).toEqual(["preview"]); // until its hour has passed
  });

  it("deletes what it asked for and never heard of", async () => {
    const room = await stage.room("end-unheard");
    const project = await readyProject(room);
    // With the default branch there, the next request is for the object's own.
    await room.apply(branchOf(room, "shop", "first"));
    await room.ready("Branch", "first");
    const lost = { operation: "branches.create", pathContains: project };
    await stage.emulator.control.faults.add({ ...lost, fault: { kind: "reset", phase: "after" } });
    // Looking for it again fails, so that the object has nothing but its intent when it is deleted.
    const { id } = await stage.emulator.control.faults.add({
      operation: "branches.list",
      pathContains: project,
      skip: 2,
      count: null,
      fault: { kind: "status", status: 503 },
    });
    await room.apply(branchOf(room, "shop", "second"));
    await room.until("Branch", "second", ({ status }) => status["intent"] !== undefined);
    await eventually("the branch is made", async () =>
      (await previews(room, project)).includes("second") ? true : undefined,
    );
    await room.kubectl("delete", "branch", "second", "--wait=false");
    await stage.emulator.control.faults.remove({ id });
    await room.gone("Branch", "second");
    expect(await previews(room, project)).toEqual(["first"]);
  });

  it("goes with its Project and its namespace, in whatever order, where both are to be deleted", async () => {
    const room = await stage.room("end-all");
    const project = await readyProject(room, "shop", { deletionPolicy: "Delete" });
    await room.apply(branchOf(room, "shop", "preview"));
    await room.ready("Branch", "preview");
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=90s");
    expect(await room.projects()).toEqual([]);
    expect(await remoteBranches(room, project)).toEqual([]);
  });

  it("is let go, and stays remotely, where its Project is kept", async () => {
    const room = await stage.room("end-retained");
    const project = await readyProject(room, "shop", { deletionPolicy: "Retain" });
    await room.apply(branchOf(room, "shop", "preview"));
    await room.ready("Branch", "preview");
    const before = await room.lastRequest();
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=90s");
    expect(await previews(room, project)).toEqual(["preview"]);
    expect(await room.writes(before)).toEqual([]);
  });
});

describe.concurrent("losing the remote branch", () => {
  it("makes no persistent one again by itself: RemoteMissing, until the annotation asks for it", async () => {
    const room = await stage.room("end-missing");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "staging", { persistent: true }));
    const ref = String((await room.ready("Branch", "staging")).status["ref"]);
    await deleteByHand(room, ref);
    await looksUntil(room, "staging", (seen) => conditionOf(seen, "Stalled")?.reason === "RemoteMissing");
    expect(await previews(room, project)).toEqual([]);
    await room.kubectl("annotate", "branch", "staging", `baas.dev/recreate=${ref}`);
    const again = await room.ready("Branch", "staging", BELIEVED_GONE_WITHIN_MS);
    expect(again.status["ref"]).not.toBe(ref);
    expect(await previews(room, project)).toEqual(["staging"]);
  });

  it("makes one again that is not persistent, since nothing in it was meant to last", async () => {
    const room = await stage.room("end-restored");
    const project = await readyProject(room);
    await room.apply(branchOf(room, "shop", "preview"));
    const ref = String((await room.ready("Branch", "preview")).status["ref"]);
    await deleteByHand(room, ref);
    const isAnother = (seen: SeenObject): boolean => isReady(seen) && seen.status["ref"] !== ref;
    await looksUntil(room, "preview", isAnother, BELIEVED_GONE_WITHIN_MS);
    expect(await previews(room, project)).toEqual(["preview"]);
  });
});

it("was never refused for its rate", async () => {
  const { byStatus } = await stage.emulator.control.log.summary({});
  expect(byStatus["429"] ?? 0).toBe(0);
});
