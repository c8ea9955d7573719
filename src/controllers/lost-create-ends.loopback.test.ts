import { afterEach, beforeEach, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../test/support/controllers/shop.ts";

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
