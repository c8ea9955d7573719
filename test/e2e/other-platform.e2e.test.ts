import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../src/emulator/emulator.ts";
import { eventually } from "../support/stage/eventually.ts";
import { coreSecret, functionOf, remoteFunctions, remoteSecrets, secretOf } from "../support/stage/functions.ts";
import type { Room, SeenObject } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/**
 * A Connection that comes to name another platform under existing objects: a copy even, with the same accounts, organizations and token, where
 * nothing but the address tells the two apart.
 */

let stage: Stage;
let other: Emulator;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

beforeEach(async () => {
  other = await startEmulator({ tokens: ["other-owner"], speed: 100 });
});

afterEach(async () => {
  await other.stop();
});

/** Gives the other platform the room's account, organization and token, and points the room's Connection at it. */
async function move(room: Room): Promise<void> {
  const username = `user-of-${room.namespace}`;
  await other.control.state.seed({
    users: [{ username, id: await room.account() }],
    tokens: [{ token: room.token, user: username }],
    organizations: [{ slug: room.namespace, plan: "enterprise", members: { [username]: "Owner" } }],
  });
  await pointAt(room, other.url);
}

async function pointAt(room: Room, baseUrl: string): Promise<void> {
  const patch = JSON.stringify({ spec: { baseUrl } });
  await room.kubectl("patch", "connection", "default", "--type=merge", `--patch=${patch}`);
  await room.ready("Connection", "default");
}

async function madeThere(): Promise<number> {
  return (await other.control.state.read({})).projects.length;
}

describe("a Project whose Connection names another platform now", () => {
  it("says so, is not taken for missing, is not made there, and goes on when the address is put back", async () => {
    const room = await stage.room("moved");
    await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
    const { status } = await room.ready("Project", "shop");
    await move(room);
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=moved");
    await room.stalled("Project", "shop", "CredentialChanged");
    expect(await madeThere()).toBe(0);
    await pointAt(room, stage.emulator.url);
    expect((await room.ready("Project", "shop")).status["ref"]).toBe(status["ref"]);
  });

  it("is not let go in silence when it is deleted: it waits for the address, and is deleted then", async () => {
    const room = await stage.room("moved-end");
    await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
    await room.ready("Project", "shop");
    await move(room);
    await room.kubectl("delete", "project", "shop", "--wait=false");
    await room.until("Project", "shop", ({ status }) =>
      status.conditions.some((is) => is.reason === "DeletionBlocked"),
    );
    expect(await room.projects()).toHaveLength(1);
    await pointAt(room, stage.emulator.url);
    await room.gone("Project", "shop");
    expect(await room.projects()).toEqual([]);
  });

  it("neither are its children: what the other platform does not know is not taken for gone", async () => {
    const room = await stage.room("moved-children");
    const unmanaged = await stage.call("POST", "/v1/projects", room.token, {
      name: "theirs",
      organization_slug: room.namespace,
      db_pass: "not-a-password",
    });
    expect(unmanaged.status).toBe(201);
    const { ref } = await room.remoteProject("theirs");
    const inTheirs = { projectRef: { ref } };
    await room.apply([
      functionOf(room, "hello", inTheirs),
      coreSecret(room, "values", { A: "1" }),
      secretOf(room, "env", [{ secretRef: { name: "values" } }], inTheirs),
    ]);
    await room.ready("EdgeFunction", "hello");
    await room.ready("Secret", "env");
    await move(room);
    await room.kubectl("delete", "edgefunction/hello", "secret.baas.dev/env", "--wait=false");
    const blocked = ({ status }: SeenObject): boolean =>
      status.conditions.some((is) => is.reason === "DeletionBlocked");
    await room.until("EdgeFunction", "hello", blocked);
    await room.until("Secret", "env", blocked);
    await pointAt(room, stage.emulator.url);
    await room.gone("EdgeFunction", "hello");
    await room.gone("Secret", "env");
    expect(await remoteFunctions(room, ref)).toEqual([]);
    expect(await remoteSecrets(room, ref)).toEqual({});
  });

  it("is not asked for again there while the answer of the first platform is awaited", async () => {
    const room = await stage.room("moved-intent");
    const after = await room.lastRequest();
    const { control } = stage.emulator;
    await control.faults.add({ operation: "projects.create", fault: { kind: "half-open", phase: "after" } });
    await room.apply(room.project("shop"));
    await eventually("the create request is sent", async () => {
      const { entries } = await control.log.read({ operation: "projects.create", after });
      return entries.length > 0 ? true : undefined;
    });
    await move(room);
    await room.stalled("Project", "shop", "CredentialChanged");
    expect(await madeThere()).toBe(0);
    await pointAt(room, stage.emulator.url);
    const { status } = await room.ready("Project", "shop");
    expect(status["ref"]).toBe((await room.remoteProject("shop")).ref);
  });
});
