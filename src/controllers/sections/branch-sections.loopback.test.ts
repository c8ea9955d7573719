import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { everything } from "../../../test/support/sections/everything.ts";
import { writing } from "../../../test/support/sections/writing.ts";
import { operations } from "../../api/contract/contract.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { sections } from "./sections.ts";

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  const seed = { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" as const }] };
  theatre = await openTheatre({ ...AT_ONCE, seed });
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(kind: string, plural: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

const { branching: _ofAProjectAlone, ...others } = everything;
/** Every section that a Branch takes, each with something that a fresh branch does not have, but what excludes another one. */
const declared = { ...others, instanceSize: "small" };
/** Writes that make a project or a branch, and configure none. */
const CREATES = ["projects.create", "branches.create"];
/** Tells of a project how its branches stand. */
const OF_BRANCHES = ["branches.list"];
/** Of a project alone, and what waits for somebody's DNS and excludes the vanity subdomain. */
const LEFT_OUT = ["branching", "customHostname"];

const stored = () => branchKind.parseStatus(theatre.kubernetes.get("branches", NAMESPACE, "preview"));
const states = (): readonly string[] =>
  (stored().sections ?? []).map(({ name, state, message = "" }) => `${name} ${state} ${message}`.trim()).toSorted();

/** All that sections read of a project. */
async function settingsOf(ref: string): Promise<ReadonlyMap<string, unknown>> {
  const ids = new Set(sections.flatMap((section) => section.operations));
  const reads = operations.filter(({ id, method }) => ids.has(id) && method === "GET" && !OF_BRANCHES.includes(id));
  const found = new Map<string, unknown>();
  for (const { id, path } of reads.filter((one) => /^[^{}]*\{ref\}[^{}]*$/u.test(one.path))) {
    const url = `${theatre.emulator.url}${path.replace("{ref}", ref)}`;
    const answer = await fetch(url, { headers: { authorization: "Bearer token" } });
    found.set(id, [answer.status, await answer.json()]);
  }
  return found;
}

describe("a Branch", () => {
  it("takes every section that a project takes, under its own ref, and leaves the project's as they are", async () => {
    put("Project", "projects", "shop", { organization: "acme" });
    await life.settle("Project", "shop");
    put("Branch", "branches", "preview", { projectRef: { name: "shop" } });
    await life.settle("Branch", "preview");
    const { ref = "" } = stored();
    const { root_key: rootKey } = await life.client.encryptionKey.get({ ref });
    theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "root", namespace: NAMESPACE },
      data: { rootKey: Buffer.from(rootKey).toString("base64") },
    });
    await theatre.pass(60_001);
    const { ref: parent = "" } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
    const before = await settingsOf(parent);
    expect(before.size).toBeGreaterThan(14);
    const fault = { kind: "status", status: 201, body: {} } as const; // what they need takes seconds to be installed
    await theatre.emulator.control.faults.add({ operation: "database.enableWebhooks", count: null, fault });
    put("Branch", "branches", "preview", { projectRef: { name: "shop" }, ...declared });
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    const all = sections.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name));
    expect(states().map((state) => state.split(" ").slice(0, 2).join(" "))).toEqual(
      all.map((name) => `${name} InSync`).toSorted(),
    );
    const { entries } = await theatre.emulator.control.log.read({});
    const written = entries.filter(
      ({ operation }) => operation !== null && writing.has(operation) && !CREATES.includes(operation),
    );
    expect(written.length).toBeGreaterThan(15);
    expect(written.filter(({ path }) => !path.startsWith(`/v1/projects/${ref}/`))).toEqual([]);
    expect(await settingsOf(parent)).toEqual(before);
  });

  it("is configured as a project is, under its own ref, and repaired", async () => {
    put("Project", "projects", "shop", { organization: "acme", dataApi: { maxRows: 100 } });
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    put("Branch", "branches", "preview", {
      projectRef: { name: "shop" },
      dataApi: { maxRows: 7 },
      instanceSize: "small",
    });
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    const { ref = "" } = stored();
    expect(states()).toEqual(["dataApi InSync", "instanceSize InSync"]);
    expect(await life.client.dataApi.get({ ref })).toMatchObject({ max_rows: 7 });
    await life.client.dataApi.update({ ref, body: { max_rows: 8 } });
    await life.run("Branch", "preview", "drift");
    expect(await life.client.dataApi.get({ ref })).toMatchObject({ max_rows: 7 });
  });
});
