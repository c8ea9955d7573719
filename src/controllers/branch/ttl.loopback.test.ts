import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";

/** Since when a ttl counts: what an object did not make, or was not to end, is not deleted for its age. */

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
const inShop = { projectRef: { name: "shop" } };

const asked = askedInEach();
let life: Life;

beforeEach(async () => {
  life = await asked.withShop();
  asked.put("Branch", "preview", inShop);
  await life.settle("Branch", "preview");
});

async function names(): Promise<readonly string[]> {
  return (await asked.theatre.emulator.control.state.read({})).branches.map(({ name }) => name);
}

async function byHand(branch_name: string): Promise<void> {
  const answer = await fetch(`${asked.theatre.emulator.url}/v1/projects/${asked.shopRef()}/branches`, {
    method: "POST",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({ branch_name }),
  });
  expect(answer.status).toBe(201);
}

const listed = z.array(
  z.object({ name: z.string(), project_ref: z.string(), deletion_scheduled_at: z.string().nullish() }),
);

/** The branch `preview` as the platform lists it; undefined where there is none. */
async function preview(): Promise<z.output<typeof listed>[number] | undefined> {
  const answer = await fetch(`${asked.theatre.emulator.url}/v1/projects/${asked.shopRef()}/branches`, {
    headers: { authorization: "Bearer token" },
  });
  return listed.parse(await answer.json()).find(({ name }) => name === "preview");
}

/** Milliseconds until the end that the status tells. */
function untilEndMs(name: string): number {
  return Date.parse(asked.branch(name).expiresAt ?? "") - asked.theatre.clock.now();
}

/** Lets that end come, and a second: the status tells it to the second. */
async function reachEnd(name: string): Promise<void> {
  await asked.theatre.pass(untilEndMs(name) + 2000);
  await life.settle("Branch", name);
}

describe("a ttl", () => {
  it("of a branch that somebody else made counts from when the object took it over", async () => {
    await byHand("old-work");
    await asked.theatre.pass(MONTH_MS);
    asked.put("Branch", "old-work", { ...inShop, adoptionPolicy: "IfNameMatches", ttl: "72h" });
    await life.settle("Branch", "old-work");
    expect(await names()).toContain("old-work");
    expect(asked.condition("Branch", "old-work", "Ready")).toMatchObject({ status: "True", reason: "Available" });
    expect(untilEndMs("old-work")).toBeGreaterThan(71 * HOUR_MS);
    await reachEnd("old-work");
    expect(await names()).not.toContain("old-work");
    expect(asked.condition("Branch", "old-work", "Expired")).toMatchObject({ status: "True" });
  });

  it("of a branch that an earlier object made counts from when this one took it over", async () => {
    asked.put("Branch", "preview", { ...inShop, ttl: "72h", deletionPolicy: "Retain" });
    await life.settle("Branch", "preview");
    asked.theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await life.settle("Branch", "preview");
    await asked.theatre.pass(MONTH_MS);
    asked.put("Branch", "again", { ...inShop, name: "preview", adoptionPolicy: "IfNameMatches", ttl: "72h" });
    await life.settle("Branch", "again");
    expect(await names()).toContain("preview");
    expect(untilEndMs("again")).toBeGreaterThan(71 * HOUR_MS);
  });

  it.each([
    { before: {}, why: "the first one" },
    { before: { ttl: "8000h" }, why: "a shorter one" },
  ])("counts from when it was declared: $why", async ({ before }) => {
    asked.put("Branch", "preview", { ...inShop, ...before });
    await life.settle("Branch", "preview");
    await asked.theatre.pass(MONTH_MS);
    asked.put("Branch", "preview", { ...inShop, ttl: "72h" });
    await life.settle("Branch", "preview");
    expect(await names()).toContain("preview");
    expect(untilEndMs("preview")).toBeGreaterThan(71 * HOUR_MS);
    await reachEnd("preview");
    expect(await names()).not.toContain("preview");
  });

  it("is not put off by an edit of anything else", async () => {
    asked.put("Branch", "preview", { ...inShop, ttl: "72h" });
    await life.settle("Branch", "preview");
    const { expiresAt } = asked.branch("preview");
    await asked.theatre.pass(HOUR_MS);
    asked.put("Branch", "preview", { ...inShop, ttl: "72h", gitBranch: "other" });
    await life.settle("Branch", "preview");
    expect(asked.branch("preview").expiresAt).toBe(expiresAt);
  });

  it("counts anew where the status was lost, as after a backup was restored", async () => {
    asked.put("Branch", "preview", { ...inShop, ttl: "72h" });
    await life.settle("Branch", "preview");
    await asked.theatre.pass(MONTH_MS);
    const type = { group: "baas.dev", version: "v1alpha1", kind: "Branch", plural: "branches", namespaced: true };
    const options = { subresource: "status", signal: new AbortController().signal } as const;
    await life.environment.kube.patchMerge(type, { namespace: NAMESPACE, name: "preview" }, { status: null }, options);
    await life.settle("Branch", "preview");
    expect(await names()).toContain("preview");
    expect(untilEndMs("preview")).toBeGreaterThan(71 * HOUR_MS);
  });
});

it("comes after baas.dev/restore of a branch that somebody deleted softly, and counts anew then", async () => {
  await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
  asked.put("Branch", "preview", { ...inShop, ttl: "1h" });
  await life.settle("Branch", "preview");
  await asked.theatre.pass(untilEndMs("preview") - 600_000);
  const gone = await fetch(
    `${asked.theatre.emulator.url}/v1/branches/${asked.branch("preview").ref ?? ""}?force=false`,
    {
      method: "DELETE",
      headers: { authorization: "Bearer token" },
    },
  );
  expect(gone.status).toBe(200);
  await asked.theatre.pass(1_200_000);
  asked.ask("Branch", "preview", "restore", "1");
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Succeeded" }]);
  expect(life.events.map(({ reason }) => reason)).not.toContain("Expired");
  expect(untilEndMs("preview")).toBeGreaterThan(0.9 * HOUR_MS);
});

it("waits to learn whether the branch that somebody deleted softly is kept, and says no more of it than is known", async () => {
  await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
  asked.put("Branch", "preview", { ...inShop, softDelete: true });
  await life.settle("Branch", "preview");
  const gone = await fetch(
    `${asked.theatre.emulator.url}/v1/branches/${asked.branch("preview").ref ?? ""}?force=false`,
    {
      method: "DELETE",
      headers: { authorization: "Bearer token" },
    },
  );
  expect(gone.status).toBe(200);
  await asked.theatre.pass(20_000);
  const { faults } = asked.theatre.emulator.control;
  await faults.add({ operation: "branches.restore", fault: { kind: "reset", phase: "after" } });
  await faults.add({ operation: "branches.list", skip: 1, fault: { kind: "status", status: 403, phase: "before" } });
  asked.ask("Branch", "preview", "restore", "1");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Sending" }]);
  expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({
    reason: "Deleting",
    message: "whether the platform keeps the branch, as baas.dev/restore asked, is not known yet",
  });
  await asked.settle(life, "Branch", "preview");
  expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ status: "True", reason: "Available" });
});

describe("baas.dev/restore after a soft end of the ttl", () => {
  beforeEach(async () => {
    await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
    asked.put("Branch", "preview", { ...inShop, ttl: "1h", softDelete: true });
    await life.settle("Branch", "preview");
    await reachEnd("preview");
  });

  it.each([
    { fault: undefined, calls: 1, why: "the platform answers" },
    { fault: "after", calls: 1, why: "its answer is lost" },
    { fault: "before", calls: 2, why: "the request is lost" },
  ] as const)("has the branch back, for as long as its ttl: $why", async ({ fault, calls }) => {
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({
      status: "True",
      message: expect.stringContaining("annotate it baas.dev/restore"),
    });
    if (fault !== undefined) {
      const lost = { kind: "reset", phase: fault } as const;
      await asked.theatre.emulator.control.faults.add({ operation: "branches.restore", fault: lost });
    }
    asked.ask("Branch", "preview", "restore", "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("branches.restore")).toBe(calls);
    expect(asked.condition("Branch", "preview", "Expired")).toBeUndefined();
    expect(asked.branch("preview")).toMatchObject({ ref: expect.any(String), name: "preview" });
    expect(untilEndMs("preview")).toBeGreaterThan(0.9 * HOUR_MS);
    await asked.theatre.pass(0.5 * HOUR_MS);
    await life.settle("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ status: "True", reason: "Available" });
    await reachEnd("preview");
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    expect(await asked.calls("branches.restore")).toBe(calls);
  });

  it.each(["goes on", "is made otherwise"])(
    "never leaves a branch that nobody has, wherever the operator dies, the annotation is gone then and the object %s",
    async (edited) => {
      for (const requests of [1, 2, 3, 4, 5, 6, 7, 8]) {
        asked.ask("Branch", "preview", "restore", String(requests));
        await (await asked.theatre.life(requests)).run("Branch", "preview");
        const wasKept = asked.requests("Branch", "preview", "restore").at(-1)?.state === "Succeeded";
        const said = asked.branch("preview").conditions.find(({ type }) => type === "Ready")?.reason;
        asked.ask("Branch", "preview", "restore", undefined);
        const spec = { ...inShop, ttl: "1h", softDelete: true };
        const driftPolicy = wasKept && edited === "is made otherwise" ? "Report" : undefined;
        asked.put("Branch", "preview", { ...spec, ...(driftPolicy === undefined ? {} : { driftPolicy }) });
        life = await asked.theatre.life();
        await asked.settle(life, "Branch", "preview");
        const { deletion_scheduled_at: goesAt, project_ref: ref } = (await preview()) ?? {
          deletion_scheduled_at: "gone",
        };
        expect([requests, asked.branch("preview").ref]).toEqual([
          requests,
          typeof goesAt === "string" ? undefined : ref,
        ]);
        // Or a start would let it wait for its drift check.
        expect(wasKept && said === "Expired").toBe(false);
        if (asked.condition("Branch", "preview", "Expired") === undefined) await reachEnd("preview");
      }
      expect(await asked.calls("branches.create")).toBe(2);
    },
  );

  it("has back what somebody had the platform keep meanwhile, for as long as its ttl", async () => {
    const { project_ref: ref = "" } = (await preview()) ?? {};
    const kept = await fetch(`${asked.theatre.emulator.url}/v1/branches/${ref}/restore`, {
      method: "POST",
      headers: { authorization: "Bearer token" },
    });
    expect(kept.ok).toBe(true);
    asked.ask("Branch", "preview", "restore", "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Refused" }]);
    expect(asked.branch("preview")).toMatchObject({ ref });
    expect(untilEndMs("preview")).toBeGreaterThan(0.9 * HOUR_MS);
  });

  it("is not needed where the spec changes: what is made again is of an end that is not counted yet", async () => {
    const fault = { kind: "status", status: 422, body: { message: "no" } } as const;
    await asked.theatre.emulator.control.faults.add({ operation: "branches.create", fault });
    asked.put("Branch", "preview", { ...inShop, ttl: "2h", softDelete: true });
    await life.run("Branch", "preview");
    expect(asked.branch("preview")).not.toHaveProperty("expiresAt");
  });

  it("is refused once the branch is gone", async () => {
    await asked.theatre.pass(HOUR_MS);
    asked.ask("Branch", "preview", "restore", "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "restore")).toMatchObject([
      { state: "Refused", message: expect.stringContaining("the ttl of the branch ended") },
    ]);
    expect(asked.branch("preview").id).toBeUndefined();
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ status: "True", reason: "Expired" });
    expect(await asked.calls("branches.create")).toBe(2);
  });

  it("asks for nothing else: that is refused", async () => {
    asked.ask("Branch", "preview", "reset", "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Refused" }]);
  });

  it("has nothing back that is another object's by then", async () => {
    const spec = { name: "preview", adoptionPolicy: "IfNameMatches", ttl: "1h", softDelete: true };
    // The older one has the name.
    asked.theatre.kubernetes.put("branches", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Branch",
      metadata: { name: "again", namespace: NAMESPACE, creationTimestamp: "2025-01-01T00:00:00Z" },
      spec: { ...inShop, ...spec },
    });
    await life.run("Branch", "again");
    asked.ask("Branch", "again", "restore", "1");
    await asked.settle(life, "Branch", "again");
    const { ref } = asked.branch("again");
    expect(ref).toEqual(expect.any(String));
    asked.ask("Branch", "preview", "restore", "1");
    expect(await life.run("Branch", "preview")).toMatchObject({ kind: "terminal", reason: "Conflict" });
    expect(asked.branch("preview").ref).toBeUndefined();
    expect(asked.branch("again")).toMatchObject({ ref });
  });

  it("works for another object of the same manifest", async () => {
    asked.theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await life.settle("Branch", "preview");
    const spec = { name: "preview", adoptionPolicy: "IfNameMatches", ttl: "1h", softDelete: true };
    asked.put("Branch", "again", { ...inShop, ...spec });
    await life.run("Branch", "again");
    asked.ask("Branch", "again", "restore", "1");
    await asked.settle(life, "Branch", "again");
    expect(asked.requests("Branch", "again", "restore")).toMatchObject([{ state: "Succeeded" }]);
    expect(await asked.calls("branches.restore")).toBe(1);
  });
});
