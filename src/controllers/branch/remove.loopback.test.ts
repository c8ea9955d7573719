import { afterEach, beforeEach, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { applyBranch, applyProject, branchStatus, projectStatus } from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** What is asked before a branch is asked to be deleted, and what an answer that it cannot be yet comes to. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  applyProject(theatre, {});
  await life.settle("Project", "shop");
  applyBranch(theatre, { deletionPolicy: "Delete" });
  await life.settle("Branch", "preview");
});

afterEach(() => theatre[Symbol.asyncDispose]());

const isThere = (): boolean => theatre.kubernetes.get("branches", NAMESPACE, "preview") !== undefined;

/** How often the platform was asked to delete a branch. */
async function asked(): Promise<number> {
  const { entries } = await theatre.emulator.control.log.read({ operation: "branches.delete" });
  return entries.length;
}

it.each(["GOING_DOWN", "REMOVED"])(
  "a branch that is %s already is not asked for, and is waited for",
  async (status) => {
    const { ref } = branchStatus(theatre);
    const listed = await life.client.branches.list({ ref: projectStatus(theatre).ref ?? "" });
    const body = listed.map((one) => (one.project_ref === ref ? { ...one, preview_project_status: status } : one));
    const fault = { kind: "status", status: 200, body } as const;
    const { id } = await theatre.emulator.control.faults.add({ operation: "branches.list", count: null, fault });
    theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    expect(await life.run("Branch", "preview")).toMatchObject({ kind: "waiting", reason: "Deleting" });
    expect([await asked(), isThere()]).toEqual([0, true]);
    await theatre.emulator.control.faults.remove({ id });
    await life.settle("Branch", "preview");
    expect([await asked(), isThere()]).toEqual([1, false]);
  },
);

it("a branch that the platform cannot delete yet is asked for again, with its words", async () => {
  const fault = { kind: "status", status: 400, body: { message: "it is still being made" } } as const;
  await theatre.emulator.control.faults.add({ operation: "branches.delete", fault });
  theatre.kubernetes.delete("branches", NAMESPACE, "preview");
  expect(await life.run("Branch", "preview")).toMatchObject({
    kind: "waiting",
    reason: "Deleting",
    message: "the platform cannot delete the branch yet: it is still being made",
  });
  await life.settle("Branch", "preview");
  expect([await asked(), isThere()]).toEqual([2, false]);
});
