import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { coreSecret, functionOf, remoteFunctions, remoteSecrets, secretOf } from "../support/stage/functions.ts";
import type { Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What people and other programs do to our objects behind the operator's back. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** Replaces an object by its bare manifest, as `kubectl replace` does with a file from before the operator saw it. */
async function replaceBare(room: Room, kind: string, name: string): Promise<void> {
  const { metadata, ...rest } = await room.get(kind, name);
  const bare = { ...rest, metadata: { name, namespace: room.namespace, uid: metadata.uid } };
  succeeded(await kubectl(room.cluster, ["replace", "-f", "-"], { stdin: JSON.stringify(bare) }));
}

describe("an object replaced by its bare manifest", () => {
  it("gets its record and its finalizer again, so that its deletion still deletes what is remote", async () => {
    const room = await stage.room("replaced");
    await room.apply([
      room.project("shop", { deletionPolicy: "Delete" }),
      functionOf(room, "hello"),
      coreSecret(room, "values", { A: "1" }),
      secretOf(room, "env", [{ secretRef: { name: "values" } }]),
      room.ours("Branch", "preview", { projectRef: { name: "shop" } }),
    ]);
    const family = [
      ["Project", "shop"],
      ["EdgeFunction", "hello"],
      ["Secret", "env"],
      ["Branch", "preview"],
    ] as const;
    for (const [kind, name] of family) await room.ready(kind, name);
    for (const [kind, name] of family) {
      await replaceBare(room, kind, name);
      await room.until(kind, name, ({ metadata: { finalizers, annotations } }) => {
        return finalizers.includes("baas.dev/finalizer") && annotations["baas.dev/ref"] !== undefined;
      });
    }
    const { ref } = await room.remoteProject("shop");
    await room.kubectl("delete", "edgefunction/hello", "secret.baas.dev/env", "branch/preview", "--timeout=30s");
    expect(await remoteFunctions(room, ref)).toEqual([]);
    expect(await remoteSecrets(room, ref)).toEqual({});
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    expect(await room.projects()).toEqual([]);
  });
});

describe("an object set to managementPolicy Observe while it was paused", () => {
  it("keeps what is remote when it is deleted, although no look has seen the new policy", async () => {
    const room = await stage.room("observed-late");
    await room.apply([room.project("shop", { deletionPolicy: "Delete" }), functionOf(room, "hello")]);
    for (const [kind, name] of [
      ["Project", "shop"],
      ["EdgeFunction", "hello"],
    ] as const) {
      await room.ready(kind, name);
      await room.kubectl("annotate", kind.toLowerCase(), name, "baas.dev/paused=true");
      await room.until(kind, name, ({ status }) => status.conditions.some(({ type }) => type === "Paused"));
      const patch = JSON.stringify({ spec: { managementPolicy: "Observe" } });
      await room.kubectl("patch", kind.toLowerCase(), name, "--type=merge", `--patch=${patch}`);
    }
    await room.kubectl("delete", "edgefunction", "hello", "--timeout=30s");
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    const { ref, status } = await room.remoteProject("shop");
    expect(status).toBe("ACTIVE_HEALTHY");
    expect((await remoteFunctions(room, ref)).map(({ slug }) => slug)).toEqual(["hello"]);
  });
});
