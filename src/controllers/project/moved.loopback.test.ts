import { request } from "undici";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** A project that somebody moved to another organization, which the same token reads (engine.md §4). */

let theatre: Theatre;

beforeEach(async () => {
  theatre = await openTheatre();
  await theatre.emulator.control.state.seed({ organizations: [{ slug: "other", members: { owner: "Owner" } }] });
});

afterEach(async () => {
  await theatre[Symbol.asyncDispose]();
});

/** A Project that is Ready, and whose project is then moved. */
async function moved(): Promise<Awaited<ReturnType<Theatre["life"]>>> {
  theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", name: "shop", deletionPolicy: "Retain" },
  });
  const life = await theatre.life();
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  const { ref } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  const attributes = { target_organization_slug: "other" };
  const answer = await request(`${theatre.emulator.url}/v2/projects/${ref}/transfers`, {
    method: "POST",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({ data: { type: "project_transfer_input", attributes } }),
  });
  if (answer.statusCode >= 300) throw new Error(`not moved: ${answer.statusCode} ${await answer.body.text()}`);
  await answer.body.dump();
  return life;
}

function edit(spec: object): void {
  const object = theatre.kubernetes.get("projects", NAMESPACE, "shop");
  if (object === undefined) throw new Error("there is no Project");
  theatre.kubernetes.put("projects", { ...object, spec });
}

async function projects(): Promise<readonly object[]> {
  const state = await theatre.emulator.control.state.read({});
  return state.projects.map(({ name, organization }) => ({ name, organization }));
}

async function writes(): Promise<number> {
  const { entries } = await theatre.emulator.control.log.read({});
  return entries.filter(({ method }) => method !== "GET").length;
}

it("is written to no more, and said to be elsewhere", async () => {
  const life = await moved();
  const before = await writes();
  edit({ organization: "acme", name: "renamed" });
  expect(await life.run("Project", "shop")).toMatchObject({ kind: "terminal", reason: "OwnedElsewhere" });
  expect(await writes()).toBe(before);
  expect(await projects()).toEqual([{ name: "shop", organization: "other" }]);
});

it("is left alone when the object is deleted", async () => {
  const life = await moved();
  edit({ organization: "acme", name: "shop", deletionPolicy: "Delete" });
  theatre.kubernetes.delete("projects", NAMESPACE, "shop");
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  expect(theatre.kubernetes.get("projects", NAMESPACE, "shop")).toBeUndefined();
  expect(await projects()).toEqual([{ name: "shop", organization: "other" }]);
});
