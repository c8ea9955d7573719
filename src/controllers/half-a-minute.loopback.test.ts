import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked, SHOP } from "../../test/support/controllers/asked.ts";
import { NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";

/**
 * A gateway or replica that does not find what is there, again and again for half a minute, while the organization is read: looks some seconds apart are one
 * incident, and nothing that has no way back follows from it (engine.md §4, §5).
 */

const API = "baas.dev/v1alpha1";
const MINUTE_S = 60;
const inShop = { projectRef: { name: "shop" } };

let theatre: Theatre;
let operator: WholeOperator;
let asked: Asked;

beforeEach(async () => {
  theatre = await openTheatre({ timings: { ...AT_ONCE.timings, runningMigrationsMs: 10 * MINUTE_S * 1000 } });
  operator = await WholeOperator.start(theatre);
  asked = new Asked(theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    operator.look();
    await operator.advance(1000);
  }
}

async function untilReady(): Promise<void> {
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
}

async function withPreview(spec: object = {}): Promise<void> {
  asked.put("Project", "shop", { ...SHOP, deletionPolicy: "Delete" });
  asked.put("Branch", "preview", { ...inShop, deletionPolicy: "Delete", ...spec });
  await untilReady();
}

type Wrong = readonly [operation: string, answer: 404 | "nothing"];

const gone = (...operations: readonly string[]): readonly Wrong[] => operations.map((operation) => [operation, 404]);

/** Answers looks wrongly for that long. */
async function answerWrongly(seconds: number, wrong: readonly Wrong[]): Promise<void> {
  const { faults } = theatre.emulator.control;
  for (const [operation, answer] of wrong) {
    const answered = answer === "nothing" ? { status: 200, body: [] } : { status: 404 };
    await faults.add({ operation, count: null, fault: { kind: "status", phase: "before", ...answered } });
  }
  await pass(seconds);
  await faults.clear();
}

const noBranches: readonly Wrong[] = [["branches.list", "nothing"]];

async function branchesThere(): Promise<readonly string[]> {
  const { branches } = await theatre.emulator.control.state.read({});
  return branches.filter(({ isDefault }) => !isDefault).map(({ name }) => name);
}

const stateOf = (kind: "Project" | "Branch", name: string, verb: string): string | undefined =>
  asked.requests(kind, name, verb).at(-1)?.state;

async function begin(kind: "Project" | "Branch", name: string, verb: string): Promise<void> {
  asked.ask(kind, name, verb, "1");
  operator.look();
  await operator.advanceUntil(() => stateOf(kind, name, verb) === "Running");
}

describe("what is under deletion is deleted", () => {
  const put = (kind: string, plural: string, name: string, spec: object): void => {
    theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata: { name, namespace: NAMESPACE }, spec });
  };

  beforeEach(async () => {
    await withPreview();
    const metadata = { name: "values", namespace: NAMESPACE };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "1" } });
    const source = { inline: { files: { "index.ts": "// nothing" } } };
    put("EdgeFunction", "edgefunctions", "hello", { ...inShop, source });
    put("Secret", "secrets", "env", { ...inShop, from: [{ secretRef: { name: "values" } }] });
    await untilReady();
  });

  async function left(): Promise<readonly string[]> {
    const { projects } = await theatre.emulator.control.state.read({});
    const functions = projects.flatMap((one) => one.functions.map(({ slug }) => slug));
    const secrets = projects.flatMap((one) => one.secrets.filter(({ platform }) => !platform).map(({ name }) => name));
    const named = projects.filter(({ name }) => name === "shop").map(({ name }) => name);
    return [...named, ...(await branchesThere()), ...functions, ...secrets];
  }

  it.each([
    { plural: "edgefunctions", name: "hello", remotely: "hello", wrong: gone("functions.delete", "functions.list") },
    { plural: "secrets", name: "env", remotely: "A", wrong: gone("secrets.list") },
    { plural: "branches", name: "preview", remotely: "preview", wrong: gone("branches.list") },
    { plural: "branches", name: "preview", remotely: "preview", wrong: noBranches },
    { plural: "projects", name: "shop", remotely: "shop", wrong: gone("projects.get") },
  ])("of $plural, where the answers are $wrong", async ({ plural, name, remotely, wrong }) => {
    expect(await left()).toContain(remotely);
    theatre.kubernetes.delete(plural, NAMESPACE, name);
    await answerWrongly(30, wrong);
    await pass(3 * MINUTE_S);
    expect(theatre.kubernetes.get(plural, NAMESPACE, name)).toBeUndefined();
    expect(await left()).not.toContain(remotely);
  });
});

describe("what is under way is followed to its end", () => {
  it("of a project", async () => {
    asked.put("Project", "shop", SHOP);
    await untilReady();
    await begin("Project", "shop", "restart");
    await answerWrongly(30, gone("projects.get"));
    await pass(10 * MINUTE_S);
    expect(stateOf("Project", "shop", "restart")).toBe("Succeeded");
  });

  it.each([
    { why: "its project is not found", wrong: gone("projects.get", "branches.list") },
    { why: "its project and its action run are not found", wrong: gone("projects.get", "actions.get") },
    { why: "it is not listed", wrong: noBranches },
  ])("of a branch, where $why", async ({ wrong }) => {
    await withPreview();
    const { ref } = asked.branch("preview");
    const made = await asked.calls("branches.create");
    await begin("Branch", "preview", "merge");
    await pass(2 * MINUTE_S);
    asked.put("Project", "shop", SHOP, { "baas.dev/reconcile-at": "now" });
    await answerWrongly(30, wrong);
    await pass(30 * MINUTE_S);
    expect(stateOf("Branch", "preview", "merge")).toBe("Succeeded");
    expect(asked.branch("preview").ref).toBe(ref);
    expect(await asked.calls("branches.create")).toBe(made);
  });

  it("of a branch in a project that no object manages", async () => {
    const ref = "unmanagedprojectrefx";
    await theatre.emulator.control.state.seed({ projects: [{ ref, name: "unmanaged", organization: "acme" }] });
    asked.put("Branch", "preview", { projectRef: { ref } });
    await untilReady();
    await begin("Branch", "preview", "merge");
    await answerWrongly(30, gone("branches.list"));
    await pass(30 * MINUTE_S);
    expect(stateOf("Branch", "preview", "merge")).toBe("Succeeded");
  });
});

describe("what has no way back either", () => {
  it("a branch whose ttl is over is deleted, not forgotten", async () => {
    await withPreview({ ttl: "1h" });
    const endsMs = Date.parse(asked.branch("preview").expiresAt ?? "");
    await pass(Math.floor((endsMs - theatre.clock.now()) / 1000) - 5);
    await answerWrongly(40, noBranches);
    await pass(5 * MINUTE_S);
    expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
    expect(await branchesThere()).toEqual([]);
  });

  it("a branch that ended softly is had back", async () => {
    asked.put("Project", "shop", SHOP);
    await untilReady();
    await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
    await withPreview({ ttl: "1h", softDelete: true });
    await pass(61 * MINUTE_S);
    asked.ask("Branch", "preview", "restore", "1");
    await answerWrongly(30, noBranches);
    await pass(5 * MINUTE_S);
    expect(stateOf("Branch", "preview", "restore")).toBe("Succeeded");
  });

  it("no second project is made", async () => {
    asked.put("Project", "shop", SHOP);
    await untilReady();
    asked.put("Project", "shop", SHOP, { "baas.dev/recreate": asked.shopRef() });
    await answerWrongly(30, gone("projects.get"));
    await pass(5 * MINUTE_S);
    expect(await asked.calls("projects.create")).toBe(1);
  });

  it("a request that is answered 404 is sent until it is taken", async () => {
    asked.put("Project", "shop", SHOP);
    await untilReady();
    asked.ask("Project", "shop", "restart", "1");
    await answerWrongly(30, gone("projects.restart"));
    await pass(10 * MINUTE_S);
    expect(stateOf("Project", "shop", "restart")).toBe("Succeeded");
  });
});

it("RemoteMissing is told within seconds all the same, and heals", async () => {
  asked.put("Project", "shop", SHOP);
  await untilReady();
  asked.put("Project", "shop", SHOP, { "baas.dev/reconcile-at": "now" });
  await answerWrongly(20, gone("projects.get"));
  expect(asked.condition("Project", "shop", "Ready")).toMatchObject({ status: "False", reason: "RemoteMissing" });
  await pass(MINUTE_S);
  expect(asked.condition("Project", "shop", "Ready")).toMatchObject({ status: "True" });
});
