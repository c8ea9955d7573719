import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../test/support/controllers/shop.ts";
import { annotations } from "../resources/annotations.ts";

/** How the doubt over a create whose answer was lost ends, where its object has something else by now (engine.md §4). */

let theatre: Theatre;
let life: Life;
beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
});
afterEach(() => theatre[Symbol.asyncDispose]());

const apiVersion = "baas.dev/v1alpha1";

function putProject(name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put("projects", {
    apiVersion,
    kind: "Project",
    metadata,
    spec: { organization: "acme", ...spec },
  });
}

/** One create request does not arrive, which nobody knows. */
async function loseNext(operation: "projects.create" | "branches.create"): Promise<void> {
  await theatre.emulator.control.faults.add({ operation, count: 1, fault: { kind: "reset", phase: "before" } });
}

async function makeByHand(name: string): Promise<string> {
  const body = { name, organization_slug: "acme", db_pass: "a-password-of-somebody" };
  return (await life.client.projects.create({ body })).ref;
}

async function projectNames(): Promise<readonly string[]> {
  const { projects } = await theatre.emulator.control.state.read({});
  return projects.filter(({ branchOf }) => branchOf === undefined).map(({ name }) => name);
}

function statusOf(plural: string, object: string): object {
  const status: unknown = theatre.kubernetes.get(plural, NAMESPACE, object)?.["status"];
  return typeof status === "object" && status !== null ? status : {};
}

it("a Project that was given another one by spec.ref takes nothing by its former request once that cannot arrive", async () => {
  await loseNext("projects.create");
  putProject("a", { name: "x", deletionPolicy: "Delete" });
  await life.run("Project", "a");
  putProject("a", { name: "elder", deletionPolicy: "Delete", ref: await makeByHand("elder") });
  await life.settle("Project", "a");
  expect(statusOf("projects", "a")).toHaveProperty("intent"); // what may still come is its own
  await theatre.pass(30_000);
  await makeByHand("x");
  await theatre.pass(86_400_000);
  await life.settle("Project", "a");
  expect(statusOf("projects", "a")).not.toHaveProperty("intent");
  theatre.kubernetes.delete("projects", NAMESPACE, "a", theatre.clock.now());
  await life.settle("Project", "a");
  expect([theatre.kubernetes.get("projects", NAMESPACE, "a"), await projectNames()]).toEqual([undefined, ["x"]]);
});

it("a Branch whose recorded branch is deleted waits for what a request of its own may make yet", async () => {
  putProject("shop", {});
  await life.settle("Project", "shop");
  const { ref } = z.looseObject({ ref: z.string() }).parse(statusOf("projects", "shop"));
  await life.client.branches.create({ ref, body: { branch_name: "main" } });
  const old = await life.client.branches.create({ ref, body: { branch_name: "old" } });
  await theatre.pass(600_000);
  await loseNext("branches.create");
  const spec = { projectRef: { name: "shop" }, name: "x", adoptionPolicy: "IfNameMatches", deletionPolicy: "Delete" };
  const metadata = { name: "a", namespace: NAMESPACE };
  theatre.kubernetes.put("branches", { apiVersion, kind: "Branch", metadata, spec });
  await life.run("Branch", "a");
  await life.client.branches.update({ branch_id_or_ref: old.id, body: { branch_name: "x" } }, { parentRef: ref });
  await theatre.pass(16_000);
  await life.run("Branch", "a");
  expect(statusOf("branches", "a")).toMatchObject({ ref: old.project_ref, intent: { name: "x" } });
  theatre.kubernetes.delete("branches", NAMESPACE, "a", theatre.clock.now());
  expect(await life.run("Branch", "a")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
  const own = async (): Promise<readonly string[]> =>
    (await life.client.branches.list({ ref })).filter((branch) => !branch.is_default).map(({ name }) => name);
  expect(await own()).toEqual([]);
  await life.client.branches.create({ ref, body: { branch_name: "x" } }); // it arrives
  await life.settle("Branch", "a");
  expect([theatre.kubernetes.get("branches", NAMESPACE, "a"), await own()]).toEqual([undefined, []]);
});

/** A Project under deletion, whose create got no answer, and a token that its organization is hidden from by now. */
async function loseTheOrganization(status: number): Promise<void> {
  await loseNext("projects.create");
  putProject("a", { name: "x", deletionPolicy: "Delete", deletionTimeout: "10m" });
  await life.run("Project", "a");
  const fault = { kind: "status", status } as const;
  await theatre.emulator.control.faults.add({ operation: "organizations.listProjects", count: null, fault });
  theatre.kubernetes.delete("projects", NAMESPACE, "a", theatre.clock.now());
  await theatre.pass(130_000);
}

it.each([{ status: 404 }, { status: 403 }])(
  "a Project that may not look for what it asked for ($status) goes at the bound, and no sooner",
  async ({ status }) => {
    await loseTheOrganization(status);
    expect(await life.run("Project", "a")).toMatchObject({ kind: "waiting", reason: "DeletionBlocked" });
    await theatre.pass(600_000);
    await life.run("Project", "a");
    expect(theatre.kubernetes.get("projects", NAMESPACE, "a")).toBeUndefined();
  },
);

it("a Project that may not look for what it asked for is let go by the name of that", async () => {
  await loseTheOrganization(404);
  const outcome = await life.run("Project", "a");
  expect(outcome).toMatchObject({ message: expect.stringContaining(`${annotations.release}: acme/x`) });
  const stored = theatre.kubernetes.get("projects", NAMESPACE, "a");
  const metadata = { name: "a", namespace: NAMESPACE, annotations: { [annotations.release]: "acme/x" } };
  theatre.kubernetes.put("projects", { ...stored, metadata: { ...stored?.metadata, ...metadata } });
  await life.run("Project", "a");
  expect(theatre.kubernetes.get("projects", NAMESPACE, "a")).toBeUndefined();
});
