import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Manifest, Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Project with everything that lives in it: applied in any order, deleted in any order, kept or gone as the policies say. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

interface Family {
  readonly project: Manifest;
  readonly branch: Manifest;
  readonly hello: Manifest;
  readonly onBranch: Manifest;
  readonly environment: Manifest;
  readonly values: Manifest;
}

const source = { inline: { files: { "index.ts": "Deno.serve(() => new Response('hello'))" } } };
const inShop = { projectRef: { name: "shop" } };

function family(room: Room, deletionPolicy: "Retain" | "Delete"): Family {
  return {
    project: room.project("shop", { deletionPolicy }),
    branch: room.ours("Branch", "preview", inShop),
    hello: room.ours("EdgeFunction", "hello", { ...inShop, source }),
    onBranch: room.ours("EdgeFunction", "on-branch", { branchRef: { name: "preview" }, source }),
    environment: room.ours("Secret", "environment", { ...inShop, from: [{ secretRef: { name: "app" } }] }),
    values: room.manifest("v1", "Secret", "app", { stringData: { GREETING: "hello", COLOUR: "blue" } }),
  };
}

const members = [
  ["Project", "shop"],
  ["Branch", "preview"],
  ["EdgeFunction", "hello"],
  ["EdgeFunction", "on-branch"],
  ["Secret", "environment"],
] as const;

async function allReady(room: Room): Promise<void> {
  await Promise.all(members.map(([kind, name]) => room.ready(kind, name, 60_000)));
}

/** What lives in the room's main project, apart from what the platform itself sets. */
async function remoteFamily(
  room: Room,
): Promise<{ readonly functions: readonly string[]; readonly secrets: readonly string[] }> {
  const project = await room.remoteProject("shop");
  return {
    functions: project.functions.map(({ slug }) => slug),
    secrets: project.secrets
      .filter(({ platform }) => !platform)
      .map(({ name }) => name)
      .toSorted(),
  };
}

async function branchNames(room: Room): Promise<readonly string[]> {
  const projects = new Set((await room.projects()).map(({ ref }) => ref));
  const { branches } = await stage.emulator.control.state.read({});
  return branches.filter(({ parentRef, isDefault }) => projects.has(parentRef) && !isDefault).map(({ name }) => name);
}

describe("applying", () => {
  it("converges in whatever order the manifests come, children and values before their Project", async () => {
    const room = await stage.room("children-first");
    const { project, branch, hello, onBranch, environment, values } = family(room, "Retain");
    for (const manifest of [onBranch, environment, hello, branch, project, values]) await room.apply(manifest);
    await allReady(room);
    expect(await remoteFamily(room)).toEqual({ functions: ["hello"], secrets: ["COLOUR", "GREETING"] });
    expect(await branchNames(room)).toEqual(["preview"]);
  });
});

describe("deleting a namespace", () => {
  it("takes everything along where the Project says Delete", async () => {
    const room = await stage.room("all-goes");
    await room.apply(Object.values(family(room, "Delete")));
    await allReady(room);
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=110s");
    expect(await room.projects()).toEqual([]);
  });

  it("keeps a Project that says Retain, with its functions, secrets and branches", async () => {
    const room = await stage.room("all-stays");
    await room.apply(Object.values(family(room, "Retain")));
    await allReady(room);
    const before = await remoteFamily(room);
    const mark = await room.lastRequest();
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=110s");
    expect(await remoteFamily(room)).toEqual(before);
    expect(await branchNames(room)).toEqual(["preview"]);
    expect(await room.writes(mark)).toEqual([]);
  });
});

describe("deleting objects", () => {
  it("keeps what lives in a Project that is deleted with Retain, when all are deleted at once", async () => {
    const room = await stage.room("objects-stay");
    await room.apply(Object.values(family(room, "Retain")));
    await allReady(room);
    const before = await remoteFamily(room);
    // The Project first: children that follow must see it going.
    await room.kubectl("delete", "project,branch,edgefunction,secrets.baas.dev", "--all", "--timeout=60s");
    expect(await remoteFamily(room)).toEqual(before);
  });

  it("deletes one child and nothing else", async () => {
    const room = await stage.room("one-child");
    await room.apply(Object.values(family(room, "Retain")));
    await allReady(room);
    await room.kubectl("delete", "edgefunction", "hello", "--timeout=60s");
    await room.kubectl("delete", "secrets.baas.dev", "environment", "--timeout=60s");
    expect(await remoteFamily(room)).toEqual({ functions: [], secrets: [] });
    expect(await branchNames(room)).toEqual(["preview"]);
  });
});

it("was never refused for its rate", async () => {
  const { byStatus } = await stage.emulator.control.log.summary({});
  expect(byStatus["429"] ?? 0).toBe(0);
});
