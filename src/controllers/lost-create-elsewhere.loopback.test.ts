import { expect, it } from "vitest";
import { z } from "zod";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { lifeInEach } from "../../test/support/controllers/life-in-each.ts";
import { findCondition } from "./shared/conditions.ts";

/** A doubt over a create ends also where the name that was asked for can be had, or looked for, no more, and the spec has another by now (engine.md §4). */

const stage = lifeInEach();

const apiVersion = "baas.dev/v1alpha1";
/** By then nothing of a lost request can arrive any more, milliseconds. */
const OVER_MS = 600_000;

function putProject(name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  const full = { organization: "acme", ...spec };
  stage.theatre.kubernetes.put("projects", { apiVersion, kind: "Project", metadata, spec: full });
}

function putBranch(more: object): void {
  const metadata = { name: "a", namespace: NAMESPACE };
  const spec = { projectRef: { name: "shop" }, name: "x", ...more };
  stage.theatre.kubernetes.put("branches", { apiVersion, kind: "Branch", metadata, spec });
}

const statusSchema = z.looseObject({
  ref: z.string().optional(),
  intent: z.looseObject({ name: z.string() }).optional(),
  ttl: z.string().optional(),
  conditions: z.array(
    z.looseObject({
      type: z.string(),
      status: z.enum(["True", "False", "Unknown"]),
      reason: z.string(),
      message: z.string(),
      lastTransitionTime: z.string(),
    }),
  ),
});

function statusOf(plural: string, object: string): z.output<typeof statusSchema> {
  return statusSchema.parse(stage.theatre.kubernetes.get(plural, NAMESPACE, object)?.["status"]);
}

async function loseNext(operation: "projects.create" | "branches.create"): Promise<void> {
  await stage.theatre.emulator.control.faults.add({ operation, count: 1, fault: { kind: "reset", phase: "before" } });
}

/** @returns ref of a Project that has its default branch */
async function openShop(): Promise<string> {
  putProject("shop", {});
  await stage.life.settle("Project", "shop");
  const { ref = "" } = statusOf("projects", "shop");
  await stage.life.client.branches.create({ ref, body: { branch_name: "main" } });
  return ref;
}

/** The default branch is given the name that the Branch `a` asked for in vain. */
async function askInVain(ref: string, more: object = {}): Promise<void> {
  await loseNext("branches.create");
  putBranch(more);
  await stage.life.run("Branch", "a");
  expect(statusOf("branches", "a").intent).toMatchObject({ name: "x" });
  const main = (await stage.life.client.branches.list({ ref })).find((branch) => branch.is_default);
  const of = { branch_id_or_ref: main?.id ?? "", body: { branch_name: "x" } };
  await stage.life.client.branches.update(of, { parentRef: ref });
}

const previews = async (ref: string): Promise<readonly string[]> =>
  (await stage.life.client.branches.list({ ref })).filter((branch) => !branch.is_default).map(({ name }) => name);

it("a Branch whose former name the default branch has by now is made by its new one, once nothing of the lost request can come", async () => {
  const ref = await openShop();
  await askInVain(ref);
  await stage.theatre.pass(30_000);
  putBranch({ name: "y" });
  expect(await stage.life.run("Branch", "a")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
  expect(await previews(ref)).toEqual([]);
  await stage.theatre.pass(OVER_MS);
  await stage.life.settle("Branch", "a");
  expect(await previews(ref)).toEqual(["y"]);
});

it("a Branch whose name the default branch has by now is told so by that name", async () => {
  const ref = await openShop();
  await askInVain(ref);
  await stage.theatre.pass(OVER_MS);
  await stage.life.run("Branch", "a");
  const { conditions, intent } = statusOf("branches", "a");
  expect(findCondition(conditions, "Ready")).toMatchObject({
    reason: "Conflict",
    message: expect.stringMatching(/the default branch.* named x,/u),
  });
  expect(intent).toBeUndefined();
});

it("a Branch does not wait for the scheduled end of what has its former name", async () => {
  const ref = await openShop();
  await stage.theatre.emulator.control.projects.patch({ ref, softBranchDeletion: true });
  const { id } = await stage.life.client.branches.create({ ref, body: { branch_name: "old" } });
  await stage.theatre.pass(OVER_MS);
  await loseNext("branches.create");
  putBranch({});
  await stage.life.run("Branch", "a");
  await stage.life.client.branches.update({ branch_id_or_ref: id, body: { branch_name: "x" } }, { parentRef: ref });
  await stage.life.client.branches.delete({ branch_id_or_ref: id, force: false }, { parentRef: ref });
  await stage.theatre.pass(OVER_MS);
  putBranch({ name: "y" });
  await stage.life.run("Branch", "a");
  expect((await previews(ref)).toSorted()).toEqual(["x", "y"]);
});

it("a default branch that was made since the lost request is adopted, not taken for what came of that", async () => {
  putProject("shop", {});
  await stage.life.settle("Project", "shop");
  const { ref = "" } = statusOf("projects", "shop");
  await stage.life.client.branches.create({ ref, body: { branch_name: "main" } });
  await askInVain(ref, { adoptionPolicy: "IfNameMatches" });
  await stage.theatre.pass(16_000);
  await stage.life.settle("Branch", "a");
  const events = stage.life.events.filter(({ regarding }) => regarding.kind === "Branch").map(({ reason }) => reason);
  expect(events).toContain("Adopted");
  expect(events).not.toContain("Created");
});

async function loseInGoneOrganization(): Promise<void> {
  await loseNext("projects.create");
  putProject("a", { name: "x" });
  await stage.life.run("Project", "a");
  stage.theatre.kubernetes.restate("projects", NAMESPACE, "a", (status) => {
    const known = statusSchema.parse(status);
    return { ...known, intent: { ...known.intent, name: "gone/x" } };
  });
}

/** Types and notes of the events that tell what may have been left somewhere. */
function given(): readonly (readonly string[])[] {
  return stage.life.events.filter(({ reason }) => reason === "Released").map(({ type, note }) => [type, note]);
}

async function projectNames(): Promise<readonly string[]> {
  const { projects } = await stage.theatre.emulator.control.state.read({});
  return projects.filter(({ branchOf }) => branchOf === undefined).map(({ name }) => name);
}

it("a Project whose lost request was in an organization that the token reads no more is made in another one, a minute after nothing of it can come", async () => {
  await loseInGoneOrganization();
  await stage.theatre.pass(30_000);
  expect(await stage.life.run("Project", "a")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
  expect(await projectNames()).toEqual([]);
  await stage.theatre.pass(OVER_MS);
  await stage.life.run("Project", "a");
  expect(await projectNames()).toEqual([]); // once may be an incident
  expect(statusOf("projects", "a").intent).toMatchObject({ name: "gone/x" });
  expect(given()).toEqual([]);
  await stage.theatre.pass(61_000);
  await stage.life.settle("Project", "a");
  expect(await projectNames()).toEqual(["x"]);
  expect(given()).toEqual([["Warning", expect.stringContaining("project gone/x")]]);
});
