import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { leftBehind } from "../../test/support/controllers/left-behind.ts";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { lifeInEach } from "../../test/support/controllers/life-in-each.ts";
import { annotations } from "../resources/annotations.ts";

/** How the doubt over a create whose answer was lost ends, where its object has something else by now (engine.md §4). */

const stage = lifeInEach();

const apiVersion = "baas.dev/v1alpha1";

function putProject(name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put("projects", {
    apiVersion,
    kind: "Project",
    metadata,
    spec: { organization: "acme", ...spec },
  });
}

/** One create request does not arrive, which nobody knows. */
async function loseNext(operation: "projects.create" | "branches.create"): Promise<void> {
  await stage.theatre.emulator.control.faults.add({ operation, count: 1, fault: { kind: "reset", phase: "before" } });
}

async function makeByHand(name: string): Promise<string> {
  const body = { name, organization_slug: "acme", db_pass: "a-password-of-somebody" };
  return (await stage.life.client.projects.create({ body })).ref;
}

async function projectNames(): Promise<readonly string[]> {
  const { projects } = await stage.theatre.emulator.control.state.read({});
  return projects.filter(({ branchOf }) => branchOf === undefined).map(({ name }) => name);
}

function statusOf(plural: string, object: string): object {
  const status: unknown = stage.theatre.kubernetes.get(plural, NAMESPACE, object)?.["status"];
  return typeof status === "object" && status !== null ? status : {};
}

it.each([
  { what: "once that cannot arrive", sees: true },
  { what: "nor where it is deleted before it sees that", sees: false },
])("a Project that was given another one by spec.ref takes nothing by its former request $what", async ({ sees }) => {
  await loseNext("projects.create");
  putProject("a", { name: "x", deletionPolicy: "Delete" });
  await stage.life.run("Project", "a");
  putProject("a", { name: "elder", deletionPolicy: "Delete", ref: await makeByHand("elder") });
  await stage.life.settle("Project", "a");
  expect(statusOf("projects", "a")).toHaveProperty("intent"); // what may still come is its own
  await stage.theatre.pass(30_000);
  await makeByHand("x");
  await stage.theatre.pass(86_400_000);
  if (sees) await stage.life.settle("Project", "a");
  expect("intent" in statusOf("projects", "a")).toBe(!sees);
  stage.theatre.kubernetes.delete("projects", NAMESPACE, "a", stage.theatre.clock.now());
  await stage.life.settle("Project", "a");
  expect([stage.theatre.kubernetes.get("projects", NAMESPACE, "a"), await projectNames()]).toEqual([undefined, ["x"]]);
});

/** @returns ref of a Project that has its default branch */
async function openShop(): Promise<string> {
  putProject("shop", {});
  await stage.life.settle("Project", "shop");
  const { ref } = z.looseObject({ ref: z.string() }).parse(statusOf("projects", "shop"));
  await stage.life.client.branches.create({ ref, body: { branch_name: "main" } });
  return ref;
}

function putBranch(more: object): void {
  const metadata = { name: "a", namespace: NAMESPACE };
  const spec = { projectRef: { name: "shop" }, name: "x", ...more };
  stage.theatre.kubernetes.put("branches", { apiVersion, kind: "Branch", metadata, spec });
}

/** The Branch `a` asked for `x` in vain, which it does not know, and then took over the branch that was renamed so. @returns ref of the project */
async function takeOverInDoubt(more: object): Promise<string> {
  const ref = await openShop();
  const old = await stage.life.client.branches.create({ ref, body: { branch_name: "old" } });
  await stage.theatre.pass(600_000);
  await loseNext("branches.create");
  putBranch({ adoptionPolicy: "IfNameMatches", ...more });
  await stage.life.run("Branch", "a");
  await stage.life.client.branches.update({ branch_id_or_ref: old.id, body: { branch_name: "x" } }, { parentRef: ref });
  await stage.theatre.pass(16_000);
  await stage.life.run("Branch", "a");
  expect(statusOf("branches", "a")).toMatchObject({ ref: old.project_ref, intent: { name: "x" } });
  return ref;
}

/** Somebody frees the name on the platform. @returns id of the branch that the Branch `a` has */
async function renameOwn(ref: string): Promise<string> {
  const { id } = z.looseObject({ id: z.string() }).parse(statusOf("branches", "a"));
  await stage.life.client.branches.update({ branch_id_or_ref: id, body: { branch_name: "elder" } }, { parentRef: ref });
  return id;
}

function restate(known: object): void {
  stage.theatre.kubernetes.restate("branches", NAMESPACE, "a", (status) => ({ ...(status as object), ...known }));
}

const branchNames = async (ref: string): Promise<readonly string[]> =>
  (await stage.life.client.branches.list({ ref })).filter((branch) => !branch.is_default).map(({ name }) => name);

function remove(plural: string, name: string): void {
  stage.theatre.kubernetes.delete(plural, NAMESPACE, name, stage.theatre.clock.now());
}

function annotate(plural: string, name: string, added: Readonly<Record<string, string>>): void {
  const stored = stage.theatre.kubernetes.get(plural, NAMESPACE, name);
  if (stored === undefined) throw new Error(`${name} is gone`);
  const { metadata } = stored;
  const given = { ...metadata.annotations, ...added };
  stage.theatre.kubernetes.put(plural, {
    ...stored,
    metadata: { ...metadata, namespace: NAMESPACE, annotations: given },
  });
}

const isThere = (plural: string, name: string): boolean =>
  stage.theatre.kubernetes.get(plural, NAMESPACE, name) !== undefined;

describe("a Branch that took another one over, with a request of its own in doubt", () => {
  it("waits, once that is deleted, for what the request may make yet", async () => {
    const ref = await takeOverInDoubt({ deletionPolicy: "Delete" });
    remove("branches", "a");
    expect(await stage.life.run("Branch", "a")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
    expect(await branchNames(ref)).toEqual([]);
    await stage.life.client.branches.create({ ref, body: { branch_name: "x" } }); // it arrives
    await stage.life.settle("Branch", "a");
    expect([isThere("branches", "a"), await branchNames(ref)]).toEqual([false, []]);
  });

  it("leaves what somebody made by that name meanwhile, where it is deleted long after", async () => {
    const ref = await takeOverInDoubt({ deletionPolicy: "Delete" });
    await renameOwn(ref);
    await stage.theatre.pass(20_000);
    await stage.life.client.branches.create({ ref, body: { branch_name: "x" } });
    await stage.theatre.pass(86_400_000);
    remove("branches", "a");
    await stage.life.settle("Branch", "a");
    expect([isThere("branches", "a"), await branchNames(ref)]).toEqual([false, ["x"]]);
  });

  it.each([
    { what: "by its policy", persistent: "known" },
    { what: "as somebody made it last since it was looked at", persistent: "unknown" },
  ])(
    "deletes what the request made also where the other one is kept $what, and tells of that once",
    async ({ persistent }) => {
      const ref = await takeOverInDoubt({});
      const id = await renameOwn(ref);
      await stage.life.client.branches.update({ branch_id_or_ref: id, body: { persistent: true } }, { parentRef: ref });
      if (persistent === "known") restate({ persistent: true });
      remove("branches", "a");
      for (let n = 0; n < 3; n += 1) {
        expect(await stage.life.run("Branch", "a")).toMatchObject({ kind: "waiting", reason: "ConfirmingAbsence" });
        await stage.theatre.pass(5000);
      }
      const late = await stage.life.client.branches.create({ ref, body: { branch_name: "x" } });
      await stage.life.settle("Branch", "a");
      expect(isThere("branches", "a")).toBe(false);
      expect((await stage.life.client.branches.list({ ref })).map((branch) => branch.id)).not.toContain(late.id);
      expect(await branchNames(ref)).toEqual(["elder"]);
      expect(stage.life.events.filter(({ reason }) => reason === "Retained")).toHaveLength(1);
    },
  );

  it("tells once that the other one is kept for a while", async () => {
    const ref = await takeOverInDoubt({ deletionPolicy: "Delete", softDelete: true });
    await stage.theatre.emulator.control.projects.patch({ ref, softBranchDeletion: true });
    remove("branches", "a");
    await stage.life.settle("Branch", "a");
    expect(isThere("branches", "a")).toBe(false);
    expect(stage.life.events.filter(({ reason }) => reason === "Deleted")).toHaveLength(1);
  });
});

describe("a Branch of which nothing but a request in doubt is known, whose project's branches are hidden from the token", () => {
  beforeEach(async () => {
    await openShop();
    await loseNext("branches.create");
    putBranch({ deletionPolicy: "Delete", deletionTimeout: "10m" });
    await stage.life.run("Branch", "a");
    const fault = { kind: "status", status: 403 } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "branches.list", count: null, fault });
    remove("branches", "a");
    await stage.theatre.pass(130_000);
  });

  it("goes at the bound, and no sooner", async () => {
    expect(await stage.life.run("Branch", "a")).toMatchObject({ kind: "waiting", reason: "DeletionBlocked" });
    await stage.theatre.pass(400_000);
    expect(await stage.life.run("Branch", "a")).toMatchObject({ kind: "waiting", reason: "DeletionBlocked" });
    await stage.theatre.pass(200_000);
    await stage.life.run("Branch", "a");
    expect(isThere("branches", "a")).toBe(false);
  });

  it("is let go by the name of what it asked for", async () => {
    expect(await stage.life.run("Branch", "a")).toMatchObject({
      message: expect.stringContaining(`${annotations.release}: x`),
    });
    annotate("branches", "a", { [annotations.release]: "x" });
    await stage.life.run("Branch", "a");
    expect(isThere("branches", "a")).toBe(false);
  });
});

/** A Project under deletion, whose create got no answer, and a token that its organization is hidden from by now. */
async function loseTheOrganization(status: number): Promise<void> {
  await loseNext("projects.create");
  putProject("a", { name: "x", deletionPolicy: "Delete", deletionTimeout: "10m" });
  await stage.life.run("Project", "a");
  const fault = { kind: "status", status } as const;
  await stage.theatre.emulator.control.faults.add({ operation: "organizations.listProjects", count: null, fault });
  stage.theatre.kubernetes.delete("projects", NAMESPACE, "a", stage.theatre.clock.now());
  await stage.theatre.pass(130_000);
}

it.each([{ status: 404 }, { status: 403 }])(
  "a Project that may not look for what it asked for ($status) goes at the bound, and no sooner",
  async ({ status }) => {
    await loseTheOrganization(status);
    expect(await stage.life.run("Project", "a")).toMatchObject({ kind: "waiting", reason: "DeletionBlocked" });
    await stage.theatre.pass(600_000);
    await stage.life.run("Project", "a");
    expect(stage.theatre.kubernetes.get("projects", NAMESPACE, "a")).toBeUndefined();
  },
);

it("a Project that may not look for what it asked for is let go by the name of that", async () => {
  await loseTheOrganization(404);
  const outcome = await stage.life.run("Project", "a");
  expect(outcome).toMatchObject({ message: expect.stringContaining(`${annotations.release}: acme/x`) });
  annotate("projects", "a", { [annotations.release]: "acme/x" });
  await stage.life.run("Project", "a");
  expect(isThere("projects", "a")).toBe(false);
});

describe("a Project whose project is gone, and the request for another one in its place in doubt", () => {
  let gone = "";
  beforeEach(async () => {
    putProject("a", { name: "x", deletionPolicy: "Delete" });
    await stage.life.settle("Project", "a");
    gone = z.looseObject({ ref: z.string() }).parse(statusOf("projects", "a")).ref;
    await stage.life.client.projects.delete({ ref: gone });
    await stage.theatre.pass(60_000);
    annotate("projects", "a", { [annotations.recreate]: gone });
    await stage.life.run("Project", "a");
    await stage.theatre.pass(60_000);
    await loseNext("projects.create");
    await stage.life.run("Project", "a");
    remove("projects", "a");
  });

  it("deletes what comes of the request", async () => {
    expect(statusOf("projects", "a")).toMatchObject({ ref: gone, intent: { name: "acme/x" } });
    await stage.life.run("Project", "a");
    await makeByHand("x"); // it arrives
    await stage.life.settle("Project", "a");
    expect([isThere("projects", "a"), await projectNames()]).toEqual([false, []]);
  });

  it("names what it asked for where it may not look for that, and is let go by that name", async () => {
    const fault = { kind: "status", status: 404 } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "organizations.listProjects", count: null, fault });
    await stage.life.run("Project", "a");
    await stage.theatre.pass(130_000);
    const message = expect.stringMatching(/^project acme\/x cannot be deleted.*baas\.dev\/release: acme\/x/u);
    expect(await stage.life.run("Project", "a")).toMatchObject({ reason: "DeletionBlocked", message });
    annotate("projects", "a", { [annotations.release]: "acme/x" });
    await stage.life.run("Project", "a");
    expect(isThere("projects", "a")).toBe(false);
    expect(leftBehind(stage)).toEqual({ listed: ["project acme/x: ByHand"], events: ["project acme/x"] });
  });

  it("names both where it is let go by the ref of the one that is gone", async () => {
    annotate("projects", "a", { [annotations.release]: gone });
    await stage.life.run("Project", "a");
    expect(isThere("projects", "a")).toBe(false);
    const both = [`project ${gone}`, "project acme/x"];
    expect(leftBehind(stage)).toEqual({ listed: both.map((one) => `${one}: ByHand`).toSorted(), events: both });
  });
});
