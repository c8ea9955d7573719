import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { eventually } from "../support/stage/eventually.ts";
import type { Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** The operator as a process: killed, doubled, stopped. Replicas of the chart's own Deployment. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage({ operator: { replicas: 2 } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** Who holds the lease now. */
async function holder(): Promise<string> {
  const args = ["--namespace=kube-system", "get", "lease", "baas-operator", "--output=jsonpath={.spec.holderIdentity}"];
  return succeeded(await kubectl(stage.cluster, args));
}

/** Makes the next create requests hang after their effect, and waits until one has arrived. */
async function createThatHangs(room: Room): Promise<void> {
  await stage.emulator.control.faults.add({
    operation: "projects.create",
    fault: { kind: "half-open", phase: "after" },
  });
  await room.apply(room.project("shop"));
  await eventually("the create request arrives", async () => ((await room.projects()).length > 0 ? true : undefined));
}

describe("two replicas", () => {
  it("have one leader, and both are ready", async () => {
    await stage.operator.waitReady();
    expect(await holder()).not.toBe("");
    const leading = stage.operator.replicas.filter((replica) => replica.logs().includes('"msg":"leading"'));
    expect(leading).toHaveLength(1);
  });

  it("make one project when the leader is killed while the project is created, and the other takes over", async () => {
    const room = await stage.room("killed-leader");
    await createThatHangs(room);
    const before = await holder();
    const leader = stage.operator.replicas.find((replica) => replica.logs().includes('"msg":"leading"'));
    await leader?.kill("SIGKILL");
    const object = await room.ready("Project", "shop", 60_000);
    expect(object.status["ref"]).toBe((await room.remoteProject("shop")).ref);
    expect(await holder()).not.toBe(before);
    expect(await room.writes()).toEqual(["projects.create lost"]);
  });
});

describe("a restart", () => {
  it("makes one project when the only process is killed while the project is created", async () => {
    const room = await stage.room("killed-alone");
    await createThatHangs(room);
    await stage.operator.kill("SIGKILL");
    await stage.operator.startReplica();
    const object = await room.ready("Project", "shop", 60_000);
    const remote = await room.remoteProject("shop");
    expect(object.status["ref"]).toBe(remote.ref);
    expect(await room.projects()).toHaveLength(1);
    // Generated once, before the request, so that the process that was killed has not taken it along.
    const text = await room.kubectl("get", "secret", "shop-database-password", "--output=jsonpath={.data.password}");
    const password = Buffer.from(text, "base64");
    expect(remote.databasePassword.digest).toBe(createHash("sha256").update(password).digest("hex"));
  });

  it("writes nothing to objects that were in order, and ends with code 0 when it is asked to stop", async () => {
    const room = await stage.room("quiet-restart");
    await room.apply(room.project("shop"));
    const settled = await room.ready("Project", "shop");
    const exits = await stage.operator.kill("SIGTERM");
    expect(exits.map(({ code }) => code)).toEqual([0]);
    const before = await room.lastRequest();
    await stage.operator.startReplica();
    await stage.operator.waitReady();
    await room.reconcile("Project", "shop");
    const after = await room.get("Project", "shop");
    expect(after.status.conditions).toEqual(settled.status.conditions);
    expect(await room.writes(before)).toEqual([]);
  });
});
