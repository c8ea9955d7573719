import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { apiGroup } from "../../src/resources/annotations.ts";
import { applyDefinitions } from "../support/programs/definitions.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { exampleFolders, exampleObjects, namespacesOf } from "../support/stage/examples.ts";
import { conditionOf, Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Every manifest of examples/ on a real apiserver, with the operator and the emulator: taken strictly, and carried out. */

/** A Project with everything declared is restarted, and its branches and functions wait for it. */
const READY_WITHIN_MS = 120_000;

/** Folders that need more than a platform, and which other tests carry out. */
const carriedOutElsewhere: Readonly<Record<string, readonly string[]>> = {
  credentials: ["oauth.e2e.test.ts", "workload-identity.e2e.test.ts"],
  "function-from-flux": ["function-from-flux.e2e.test.ts"],
  outputs: ["outputs.e2e.test.ts"],
  quickstart: ["quickstart.e2e.test.ts"],
};

/** Folders with a test of their own below: more is to be seen there than that they are Ready. */
const carriedOutBelow: ReadonlySet<string> = new Set(["custom-domain", "preview-branches", "root-key"]);

const sectionsSchema = z.object({ sections: z.array(z.looseObject({ state: z.string() })).default([]) });

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
  const flux = fileURLToPath(new URL("../support/flux/crds.yaml", import.meta.url));
  await applyDefinitions(stage.cluster, flux);
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

type Example = Awaited<ReturnType<typeof exampleObjects>>;

/** Applies a folder as `kubectl apply --server-side` does, which refuses fields that a kind does not have. */
async function applyExample(folder: string, room: Room): Promise<void> {
  const objects = await exampleObjects(folder, room);
  await room.apply(namespacesOf(objects));
  await room.apply(objects);
}

/** Waits until everything that a folder declares is Ready. @returns the sections that are not in sync all the same */
async function outOfSyncWhenReady(objects: Example, room: Room): Promise<readonly unknown[]> {
  const ours = objects.filter(({ apiVersion }) => apiVersion.startsWith(`${apiGroup}/`));
  if (ours.length === 0) throw new Error("the example declares nothing of ours");
  const out: unknown[] = [];
  for (const { kind, metadata } of ours) {
    const { status } = await room.ready(kind, metadata.name, READY_WITHIN_MS);
    out.push(...sectionsSchema.parse(status).sections.filter(({ state }) => state !== "InSync"));
  }
  return out;
}

describe("every folder of examples/", () => {
  const folders = exampleFolders();

  it.each(folders.filter((folder) => folder in carriedOutElsewhere))(
    "%s is what the apiserver takes, and is carried out by another test",
    async (folder) => {
      // No room of the stage: its Connection would be there already.
      const { cluster, emulator } = stage;
      const room = new Room({ cluster, emulator, namespace: `taken-${folder}`, token: "none" });
      const objects = await exampleObjects(folder, room);
      await room.apply(namespacesOf(objects));
      const args = ["apply", "--server-side", "--dry-run=server", "--validate=strict", "--filename=-"];
      const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
      succeeded(await kubectl(cluster, args, { stdin }));
      for (const test of carriedOutElsewhere[folder] ?? []) {
        expect(readFileSync(new URL(test, import.meta.url), "utf8")).toContain(`examples/${folder}`);
      }
    },
  );

  it.each(folders.filter((folder) => !(folder in carriedOutElsewhere) && !carriedOutBelow.has(folder)))(
    "%s is Ready as it is written",
    { timeout: 3 * READY_WITHIN_MS },
    async (folder) => {
      const room = await stage.room(folder);
      await applyExample(folder, room);
      expect(await outOfSyncWhenReady(await exampleObjects(folder, room), room)).toEqual([]);
    },
  );

  it("has nothing under another name than tests look for", () => {
    const known = /\.(yaml|md|ts)$/u;
    const all = readdirSync(new URL("../../examples/", import.meta.url), { recursive: true, withFileTypes: true });
    expect(all.filter((entry) => entry.isFile() && !known.test(entry.name)).map(({ name }) => name)).toEqual([]);
    const named = [...Object.keys(carriedOutElsewhere), ...carriedOutBelow];
    expect(named.filter((folder) => !folders.includes(folder))).toEqual([]);
  });
});

it("examples/custom-domain tells the records to create, and is Ready once they are there", async () => {
  const room = await stage.room("custom-domain");
  await applyExample("custom-domain", room);
  const waits = await room.until(
    "Project",
    "shop",
    (project) => conditionOf(project, "Ready")?.reason === "DnsPending",
  );
  expect(waits.status["customHostname"]).toMatchObject({
    hostname: "api.shop.example.com",
    records: expect.arrayContaining([expect.objectContaining({ type: "TXT" })]),
  });
  expect(waits.status["sections"]).toMatchObject([
    { name: "addons.customDomain", state: "InSync" },
    { name: "customHostname", state: "Waiting", reason: "DnsPending" },
  ]);
  await room.emulator.control.dns.set({ name: "example.com", obeys: true });
  await room.reconcile("Project", "shop");
  const project = await room.ready("Project", "shop");
  expect(project.status["customHostname"]).toMatchObject({ state: "5_services_reconfigured" });
});

it("examples/root-key says what to ask for, and has its key in place once that is asked", async () => {
  const room = await stage.room("root-key");
  await applyExample("root-key", room);
  const waits = await room.until(
    "Project",
    "shop",
    (project) => conditionOf(project, "Ready")?.reason === "RequestNeeded",
  );
  expect(conditionOf(waits, "Ready")?.message).toContain("baas.dev/replace-root-key");
  await room.kubectl("annotate", "projects.baas.dev", "shop", "baas.dev/replace-root-key=1");
  const project = await room.ready("Project", "shop");
  expect(project.status["sections"]).toMatchObject([{ name: "encryptionRootKey", state: "InSync" }]);
  expect(project.status["requests"]).toMatchObject([{ verb: "replace-root-key", id: "1", state: "Succeeded" }]);
});

it("examples/preview-branches is Ready, for another pull request too with its names replaced", async () => {
  const room = await stage.room("preview-branches");
  const objects = await exampleObjects("preview-branches", room);
  const other = JSON.stringify(objects).replaceAll("pr-128", "pr-129").replaceAll("feature/checkout", "fix/login");
  const both = [...objects, ...(JSON.parse(other) as Example)]; // the same objects under other names
  await room.apply(both);
  expect(await outOfSyncWhenReady(both, room)).toEqual([]);
  expect(await room.secret("pr-129-environment")).toMatchObject({ type: "servicebinding.io/postgresql" });
  await room.kubectl("delete", "branch.baas.dev", "pr-129", "--wait=true");
  const { branches, projects } = await room.emulator.control.state.read({});
  const ref = projects.find(({ organization }) => organization === room.namespace)?.ref;
  const left = branches.filter(({ parentRef, isDefault }) => parentRef === ref && !isDefault);
  expect(left.map(({ name }) => name)).toEqual(["pr-128"]);
});
