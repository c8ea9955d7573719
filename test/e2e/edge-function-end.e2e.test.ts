import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readyProject } from "../support/stage/branches.ts";
import {
  deployByHand,
  functionOf,
  remoteFunction,
  remoteFunctions,
  sha256,
  sourceText,
} from "../support/stage/functions.ts";
import { BELIEVED_GONE_WITHIN_MS } from "../support/stage/eventually.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Whose a function is, and what becomes of it when its object goes, on a real control plane and the emulator. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe.concurrent("ownership", () => {
  it("does not touch a function that it did not create", async () => {
    const room = await stage.room("fn-foreign");
    const ref = await readyProject(room);
    await deployByHand(stage, room, ref, "hello");
    const before = await remoteFunction(room, ref, "hello");
    const after = await room.lastRequest();
    await room.apply(functionOf(room, "hello"));
    const stalled = await room.stalled("EdgeFunction", "hello", "Conflict");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("adoptionPolicy: IfNameMatches");
    await room.kubectl("delete", "edgefunction", "hello");
    await room.gone("EdgeFunction", "hello");
    expect(await remoteFunction(room, ref, "hello")).toEqual(before);
    expect(await room.writes(after)).toEqual([]);
  });

  it("takes it over as adoptionPolicy asks", async () => {
    const room = await stage.room("fn-adopt");
    const ref = await readyProject(room);
    await deployByHand(stage, room, ref, "hello");
    await room.apply(functionOf(room, "hello", { adoptionPolicy: "IfNameMatches" }));
    await room.ready("EdgeFunction", "hello");
    const remote = await remoteFunction(room, ref, "hello");
    expect(remote.version).toBe(2);
    expect(remote.files).toMatchObject([{ sha256: sha256(sourceText("hello")) }]);
  });

  it("lets the oldest of two objects have the function; the other one's turn comes when that is gone", async () => {
    const room = await stage.room("fn-two");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "first", { slug: "hello" }, "first"));
    await room.ready("EdgeFunction", "first");
    await room.apply(functionOf(room, "second", { slug: "hello" }, "second"));
    const stalled = await room.stalled("EdgeFunction", "second", "Conflict");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("EdgeFunction first");
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ version: 1 });
    await room.kubectl("delete", "edgefunction", "first");
    await room.ready("EdgeFunction", "second");
    expect((await remoteFunction(room, ref, "hello")).files).toMatchObject([{ sha256: sha256(sourceText("second")) }]);
  });

  it("lets a copied manifest own nothing: no write, and its deletion touches nothing", async () => {
    const room = await stage.room("fn-copy");
    const other = await stage.room("fn-copied");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    const { metadata } = await room.ready("EdgeFunction", "hello");
    const copy = {
      ...functionOf(other, "hello", { projectRef: { ref } }),
      metadata: { name: "hello", namespace: other.namespace, annotations: metadata.annotations },
    };
    await other.apply([...other.connection(room.token), copy]);
    await other.stalled("EdgeFunction", "hello", "OwnedElsewhere");
    await other.kubectl("delete", "edgefunction", "hello");
    expect(await remoteFunction(room, ref, "hello")).toMatchObject({ version: 1 });
  });
});

describe.concurrent("deleting", () => {
  it("deletes the function, and waits until it is gone", async () => {
    const room = await stage.room("fn-delete");
    const ref = await readyProject(room);
    await room.apply([functionOf(room, "hello"), functionOf(room, "other")]);
    await room.ready("EdgeFunction", "hello");
    await room.ready("EdgeFunction", "other");
    await room.kubectl("delete", "edgefunction", "hello");
    expect((await remoteFunctions(room, ref)).map(({ slug }) => slug)).toEqual(["other"]);
  });

  it("is done when somebody deleted the function before", async () => {
    const room = await stage.room("fn-delete-gone");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    await stage.call("DELETE", `/v1/projects/${ref}/functions/hello`, room.token);
    await room.kubectl("delete", "edgefunction", "hello", "--wait=false");
    await room.gone("EdgeFunction", "hello", BELIEVED_GONE_WITHIN_MS);
    expect(await remoteFunctions(room, ref)).toEqual([]);
  });

  it("keeps the function under deletionPolicy Retain, also when that is set after the deletion began", async () => {
    const room = await stage.room("fn-retain");
    const ref = await readyProject(room);
    await room.apply([functionOf(room, "hello", { deletionPolicy: "Retain" }), functionOf(room, "late")]);
    await room.ready("EdgeFunction", "hello");
    await room.ready("EdgeFunction", "late");
    const fault = { kind: "status", status: 403 } as const;
    await room.emulator.control.faults.add({ operation: "functions.delete", pathContains: ref, count: null, fault });
    await room.kubectl("delete", "edgefunction", "hello", "late", "--wait=false");
    await room.gone("EdgeFunction", "hello");
    const blocked = await room.stalled("EdgeFunction", "late", "DeletionBlocked");
    expect(conditionOf(blocked, "Stalled")?.message).toContain("could not delete the function");
    await room.kubectl("patch", "edgefunction", "late", "--type=merge", '--patch={"spec":{"deletionPolicy":"Retain"}}');
    await room.gone("EdgeFunction", "late");
    expect((await remoteFunctions(room, ref)).map(({ slug }) => slug)).toEqual(["hello", "late"]);
  });

  it("keeps the function when its namespace is deleted and its Project is Retain", async () => {
    const room = await stage.room("fn-namespace");
    const ref = await readyProject(room);
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=60s");
    expect(await remoteFunctions(room, ref)).toHaveLength(1);
  });

  it("goes with its Project and namespace when that is to be deleted", async () => {
    const room = await stage.room("fn-all-gone");
    await readyProject(room, "shop", { deletionPolicy: "Delete" });
    await room.apply(functionOf(room, "hello"));
    await room.ready("EdgeFunction", "hello");
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=60s");
    expect(await room.projects()).toEqual([]);
  });
});
