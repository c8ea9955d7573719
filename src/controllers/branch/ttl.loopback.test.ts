import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** Since when a ttl counts: what an object did not make, or was not to end, is not deleted for its age. */

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
const inShop = { projectRef: { name: "shop" } };

let theatre: Theatre;
let asked: Asked;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre();
  asked = new Asked(theatre);
  life = await asked.withShop();
  asked.put("Branch", "preview", inShop);
  await life.settle("Branch", "preview");
});

afterEach(() => theatre[Symbol.asyncDispose]());

async function names(): Promise<readonly string[]> {
  return (await theatre.emulator.control.state.read({})).branches.map(({ name }) => name);
}

async function byHand(branch_name: string): Promise<void> {
  const answer = await fetch(`${theatre.emulator.url}/v1/projects/${asked.shopRef()}/branches`, {
    method: "POST",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({ branch_name }),
  });
  expect(answer.status).toBe(201);
}

/** Milliseconds until the end that the status tells. */
function untilEndMs(name: string): number {
  return Date.parse(asked.branch(name).expiresAt ?? "") - theatre.clock.now();
}

/** Lets that end come, and a second: the status tells it to the second. */
async function reachEnd(name: string): Promise<void> {
  await theatre.pass(untilEndMs(name) + 2000);
  await life.settle("Branch", name);
}

describe("a ttl", () => {
  it("of a branch that somebody else made counts from when the object took it over", async () => {
    await byHand("old-work");
    await theatre.pass(MONTH_MS);
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
    theatre.kubernetes.delete("branches", NAMESPACE, "preview");
    await life.settle("Branch", "preview");
    await theatre.pass(MONTH_MS);
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
    await theatre.pass(MONTH_MS);
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
    await theatre.pass(HOUR_MS);
    asked.put("Branch", "preview", { ...inShop, ttl: "72h", gitBranch: "other" });
    await life.settle("Branch", "preview");
    expect(asked.branch("preview").expiresAt).toBe(expiresAt);
  });

  it("counts anew where the status was lost, as after a backup was restored", async () => {
    asked.put("Branch", "preview", { ...inShop, ttl: "72h" });
    await life.settle("Branch", "preview");
    await theatre.pass(MONTH_MS);
    const type = { group: "baas.dev", version: "v1alpha1", kind: "Branch", plural: "branches", namespaced: true };
    const options = { subresource: "status", signal: new AbortController().signal } as const;
    await life.environment.kube.patchMerge(type, { namespace: NAMESPACE, name: "preview" }, { status: null }, options);
    await life.settle("Branch", "preview");
    expect(await names()).toContain("preview");
    expect(untilEndMs("preview")).toBeGreaterThan(71 * HOUR_MS);
  });
});
