import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readyProject } from "../support/stage/branches.ts";
import { eventually } from "../support/stage/eventually.ts";
import {
  coreSecret,
  deployByHand,
  functionOf,
  remoteFunction,
  remoteFunctions,
  secretOf,
  sourceText,
} from "../support/stage/functions.ts";
import { conditionOf, type Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Deployments that fail, are refused, meet others or lose their answer, on a real control plane and the emulator. */

let stage: Stage;

beforeAll(async () => {
  // Bundling takes 300 ms, long enough for two deployments to meet if they can.
  stage = await startStage({
    emulator: { speed: 1, timings: { unknownMs: 10, comingUpMs: 10, serviceLagMs: 10, bundleMs: 300 } },
  });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

function deploys(writes: readonly string[]): readonly string[] {
  return writes.filter((write) => write.startsWith("functions.deploy"));
}

/** Waits until the functions have these versions. */
async function deployedAs(room: Room, ref: string, versions: readonly number[]): Promise<void> {
  await eventually(`versions ${versions.join(", ")}`, async () => {
    const found = (await remoteFunctions(room, ref)).map(({ version }) => version);
    return found.join() === versions.join() ? found : undefined;
  });
}

describe.concurrent("several functions of one project", () => {
  it("[K-31] [K-32] are deployed one at a time: no answer 409, and each has a status of its own", async () => {
    const room = await stage.room("dp-many");
    const ref = await readyProject(room);
    const slugs = Array.from({ length: 12 }, (_, index) => `fn-${String(index).padStart(2, "0")}`);
    const after = await room.lastRequest();
    await room.apply(slugs.map((slug) => functionOf(room, slug, {}, slug)));
    for (const slug of slugs) await room.ready("EdgeFunction", slug);
    const remote = await remoteFunctions(room, ref);
    expect(remote.map(({ slug, version }) => ({ slug, version }))).toEqual(slugs.map((slug) => ({ slug, version: 1 })));
    expect(deploys(await room.writes(after))).toEqual(slugs.map(() => "functions.deploy 201"));
    const statuses = await Promise.all(slugs.map(async (slug) => (await room.get("EdgeFunction", slug)).status));
    expect(statuses.map(({ bundleHash }) => bundleHash)).toEqual(remote.map((one) => one.sha256));
  });

  it("[K-29] are Ready but for the one that does not bundle, which a new source mends", async () => {
    const room = await stage.room("dp-bundle");
    const ref = await readyProject(room);
    await room.emulator.control.functions.failBundle({ slug: "broken", ref, count: null, message: "no such module" });
    const after = await room.lastRequest();
    await room.apply(["one", "broken", "three"].map((slug) => functionOf(room, slug)));
    await room.ready("EdgeFunction", "one");
    await room.ready("EdgeFunction", "three");
    const stalled = await room.stalled("EdgeFunction", "broken", "Rejected");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("no such module");
    // Whatever else wakes it, the same source is not uploaded again.
    await room.kubectl("label", "project", "shop", "touched=yes");
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=now");
    await room.apply(functionOf(room, "one", { verifyJwt: false }));
    await room.ready("EdgeFunction", "one");
    const all = deploys(await room.writes(after));
    expect(all.toSorted()).toEqual(["functions.deploy 201", "functions.deploy 201", "functions.deploy 400"]);
    expect(await remoteFunctions(room, ref)).toHaveLength(2);

    await room.emulator.control.functions.mendBundles();
    await room.apply(functionOf(room, "broken", {}, "mended"));
    await room.ready("EdgeFunction", "broken");
    expect(await remoteFunction(room, ref, "broken")).toMatchObject({ version: 1, verifyJwt: true });
  });

  it("[K-29] leaves the old bundle and its settings in place when a new source does not bundle", async () => {
    const room = await stage.room("dp-old");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello", { verifyJwt: false }));
    await room.ready("EdgeFunction", "hello");
    const before = await remoteFunction(room, ref, "hello");
    await room.emulator.control.functions.failBundle({ slug: "hello", ref, count: null });
    await room.apply(functionOf(room, "hello", { verifyJwt: false }, "broken"));
    await room.stalled("EdgeFunction", "hello", "Rejected");
    expect(await remoteFunction(room, ref, "hello")).toEqual(before);
    await room.apply(functionOf(room, "hello", { verifyJwt: false }));
    await room.ready("EdgeFunction", "hello");
    expect(await remoteFunction(room, ref, "hello")).toEqual(before);
  });
});

describe("others", () => {
  it("[K-31] waits while another client deploys to the project, and goes on by itself", async () => {
    const room = await stage.room("dp-other");
    const ref = await readyProject(room);
    await room.emulator.control.settings.patch({ timings: { bundleMs: 4000 } });
    try {
      const byHand = deployByHand(stage, room, ref, "theirs");
      await eventually("the other deployment is under way", async () => {
        const { entries } = await room.emulator.control.log.read({ operation: "functions.deploy" });
        return entries.some(({ path, status }) => path.includes(ref) && status === null) ? true : undefined;
      });
      await room.apply(functionOf(room, "hello"));
      const waiting = await room.until("EdgeFunction", "hello", (object) =>
        (conditionOf(object, "Ready")?.message ?? "").includes("another client"),
      );
      expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "Unknown", reason: "Deploying" });
      expect(conditionOf(waiting, "Stalled")).toBeUndefined();
      await byHand;
      await room.ready("EdgeFunction", "hello");
    } finally {
      await room.emulator.control.settings.patch({ timings: { bundleMs: 300 } });
    }
    expect((await remoteFunctions(room, ref)).map(({ slug }) => slug)).toEqual(["hello", "theirs"]);
  });

  it("tells a plan's limit as such, in the platform's words, without trying again at once", async () => {
    const room = await stage.room("dp-plan");
    const ref = await readyProject(room);
    await room.emulator.control.organizations.patch({ slug: room.namespace, quotas: { functionsPerProject: 1 } });
    await room.apply(functionOf(room, "one"));
    await room.ready("EdgeFunction", "one");
    await room.apply(functionOf(room, "two"));
    await room.stalled("EdgeFunction", "two", "PlanLimit");
    expect(await remoteFunctions(room, ref)).toHaveLength(1);
    expect(deploys(await room.writes())).toEqual(["functions.deploy 201", "functions.deploy 402"]);
    // Nothing was made, so nothing is owned: what somebody else puts there is theirs.
    await room.emulator.control.organizations.patch({ slug: room.namespace, quotas: { functionsPerProject: 10 } });
    await deployByHand(stage, room, ref, "two");
    await room.kubectl("delete", "edgefunction", "two");
    expect((await remoteFunctions(room, ref)).map(({ slug }) => slug)).toEqual(["one", "two"]);
  });
});

async function hasFunction(room: Room, ref: string, slug: string): Promise<true | undefined> {
  return (await remoteFunctions(room, ref)).some((one) => one.slug === slug) ? true : undefined;
}

describe("a lost answer", () => {
  it("[K-40] to the first deployment leaves one function, which is taken for ours", async () => {
    const room = await stage.room("dp-lost");
    const ref = await readyProject(room);
    await room.emulator.control.faults.add({
      operation: "functions.deploy",
      pathContains: ref,
      fault: { kind: "reset", phase: "after" },
    });
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    const functions = await remoteFunctions(room, ref);
    expect(functions.map(({ slug }) => slug)).toEqual(["hello"]);
    await room.kubectl("delete", "edgefunction", "hello");
    expect(await remoteFunctions(room, ref)).toEqual([]);
  });

  it("[K-40] to an update of settings, or a refused read, is recovered unseen", async () => {
    const room = await stage.room("dp-lost-set");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    const { faults } = room.emulator.control;
    const after = await room.lastRequest();
    await faults.add({ operation: "functions.update", pathContains: ref, fault: { kind: "reset", phase: "after" } });
    await faults.add({ operation: "functions.list", pathContains: ref, fault: { kind: "status", status: 503 } });
    await room.apply(functionOf(room, "hello", { verifyJwt: false }));
    await room.ready("EdgeFunction", "hello");
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ verifyJwt: false, version: 1 });
    expect(await room.writes(after)).toHaveLength(1);
  });

  it("because the operator was killed leaves one function, which the next one takes for ours", async () => {
    const room = await stage.room("dp-killed");
    const ref = await readyProject(room);
    await room.emulator.control.settings.patch({ timings: { bundleMs: 1500 } });
    try {
      await room.apply(functionOf(room, "hello"));
      await eventually("the deployment is under way", async () => {
        const { entries } = await room.emulator.control.log.read({ operation: "functions.deploy" });
        return entries.some(({ path, status }) => path.includes(ref) && status === null) ? true : undefined;
      });
      await stage.operator.kill();
      await eventually("the deployment took effect", () => hasFunction(room, ref, "hello"));
    } finally {
      await room.emulator.control.settings.patch({ timings: { bundleMs: 300 } });
    }
    await stage.operator.restart();
    await stage.operator.waitReady();
    const object = await room.ready("EdgeFunction", "hello");
    const remote = await remoteFunction(room, ref, "hello");
    expect(remote.files).toMatchObject([{ path: "index.ts", bytes: sourceText("hello").length }]);
    expect(object.status["bundleHash"]).toBe(remote.sha256);
  });
});

describe.concurrent("functions that read an environment", () => {
  const read = { redeployOnSecretChange: true };

  it("[K-36] are deployed again once for a change of their environment, after it, and for nothing else", async () => {
    const room = await stage.room("dp-environment");
    const ref = await readyProject(room);
    const all = [{ secretRef: { name: "values" } }];
    await room.apply([coreSecret(room, "values", { ONE: "1" }), secretOf(room, "app", all, read)]);
    await room.ready("Secret", "app");
    await room.apply([functionOf(room, "hello"), functionOf(room, "bye")]);
    await Promise.all(["hello", "bye"].map((name) => room.ready("EdgeFunction", name)));
    const after = await room.lastRequest();
    await room.apply(coreSecret(room, "values", { ONE: "rotated" }));
    await deployedAs(room, ref, [2, 2]);
    await room.apply(coreSecret(room, "values", { ONE: "rotated", TWO: "2" }));
    await deployedAs(room, ref, [3, 3]);
    await room.apply(secretOf(room, "app", all));
    await room.ready("Secret", "app");
    await room.apply(secretOf(room, "app", all, read));
    for (const name of ["hello", "bye"]) await room.reconcile("EdgeFunction", name);
    const deploy = "functions.deploy 201";
    const change = ["secrets.create 201", deploy, deploy];
    expect(await room.writes(after)).toEqual([...change, ...change]);
    const events = await room.kubectl("get", "events", "--field-selector=reason=Redeployed");
    expect(events).toContain(`for its environment: Secret ${room.namespace}/app`);
    expect(events).not.toContain("rotated");
  });
});
