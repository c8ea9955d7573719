import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { spendBudgetOf } from "../../../test/support/controllers/no-budget.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What drift checks alone look at, of a project that is looked at sooner, time and again, for something else (engine.md §6). */

const MINUTE_MS = 60_000;
const TWO_INTERVALS_MS = 20 * MINUTE_MS;

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const refused = { auth: { hooks: { sendSms: { enabled: true } } } };
const WAITS = { encryptionRootKey: { secretKeyRef: { name: "none-yet", key: "rootKey" } } };
const output = { writeConnectionSecretToRef: { name: "out", keys: [{ key: "host" }] } };

function heldHost(): string | undefined {
  const { data } = (stage.theatre.kubernetes.get("secrets", NAMESPACE, "out") ?? {}) as {
    data?: Record<string, string>;
  };
  const host = data?.["host"];
  return host === undefined ? undefined : Buffer.from(host, "base64").toString();
}

/** Somebody else keeps writing the output, until it is left to them. */
async function contest(operator: WholeOperator): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    const { metadata } = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out") ?? {};
    const data = { host: Buffer.from("theirs").toString("base64") };
    stage.theatre.kubernetes.put("secrets", { metadata: { ...metadata, name: "out", namespace: NAMESPACE }, data });
    operator.look();
    await operator.advance(1000);
  }
  expect(heldHost()).toBe("theirs");
}

/** An operator that has looked at what is declared and was refused what the plan has not; somebody fights for its output. */
async function declare(spec: object): Promise<WholeOperator> {
  await stage.start({ ...refused, ...output, ...spec });
  const operator = await WholeOperator.start(stage.theatre);
  operator.look();
  await operator.advance(30_000);
  expect(stage.entry("auth")).toMatchObject({ state: "Failed" });
  await contest(operator);
  return operator;
}

async function leaveBranch(): Promise<void> {
  const { client, ref, theatre } = stage;
  await client.branches.create({ ref, body: { branch_name: "main" } });
  await client.branches.create({ ref, body: { branch_name: "preview" } });
  await theatre.pass(60_001);
}

describe("what the plan refused, and an output that somebody else writes", () => {
  it.each([
    { what: "a branch is in the way of branching: Disabled", spec: { branching: "Disabled" } },
    {
      what: "a section waits for a Secret that is not there",
      spec: { ...WAITS, driftInterval: "9m" },
    },
    { what: "a section waits, and drift is ignored", spec: { ...WAITS, driftPolicy: "Ignore" } },
  ])("are looked at by the drift check while $what", async ({ spec }) => {
    await leaveBranch();
    await using operator = await declare(spec);
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await operator.advance(TWO_INTERVALS_MS);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(heldHost()).not.toBe("theirs");
  });

  it("are not looked at with what is looked at each minute, which is that alone", async () => {
    await leaveBranch();
    await using operator = await declare({ branching: "Disabled" });
    await operator.advance(MINUTE_MS);
    await stage.calls();
    await operator.advance(3 * MINUTE_MS);
    expect(await stage.calls()).toEqual(["branches.list", "branches.list", "branches.list"]);
    await operator.advance(TWO_INTERVALS_MS);
    const looks = (await stage.calls()).filter((id) => id === "branches.list");
    expect(looks).toHaveLength(20);
  });
});

describe("a drift check", () => {
  const HOUR_MS = 60 * MINUTE_MS;
  const rows = { dataApi: { maxRows: 100 } };
  const asksForPlan = (): Promise<unknown> =>
    stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
  const failing = async (operation: string, status = 500): Promise<void> => {
    const fault = { kind: "status", status, body: { message: "no" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
  };

  it("comes to an object of which a section fails since it was edited, for as long as that takes", async () => {
    await using operator = await declare(rows);
    await failing("dataApi.get");
    await stage.start({ ...refused, ...output, dataApi: { maxRows: 7 } });
    operator.look();
    await asksForPlan();
    await operator.advance(TWO_INTERVALS_MS);
    expect(stage.entry("dataApi")).toMatchObject({ state: "Waiting" });
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(heldHost()).not.toBe("theirs");
  });

  it("is not repeated with what of it failed", async () => {
    await using operator = await declare({ ...rows, storage: { fileSizeLimit: "10Mi" } });
    await failing("dataApi.get");
    await operator.advance(2 * MINUTE_MS);
    await stage.calls();
    await operator.advance(HOUR_MS);
    const calls = await stage.calls();
    expect(calls.filter((id) => id === "dataApi.get").length).toBeGreaterThan(15);
    const whole = calls.filter((id) => id === "storage.get").length;
    expect(whole).toBeGreaterThan(3);
    expect(whole).toBeLessThanOrEqual(7);
  });

  it("is the first look of a process, also where it comes to what is under way, and often", async () => {
    await (await declare({ ...WAITS, driftInterval: "24h" }))[Symbol.asyncDispose]();
    await asksForPlan();
    await using operator = await WholeOperator.start(stage.theatre);
    operator.look();
    await operator.advance(MINUTE_MS);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });

  it("is made by the next run where one ended before it came to anything", async () => {
    const { theatre } = stage;
    await stage.start({ ...refused, ...rows });
    await asksForPlan();
    await theatre.pass(10 * MINUTE_MS);
    await theatre.emulator.control.faults.add({ operation: "projects.get", fault: { kind: "status", status: 404 } });
    expect(await stage.run("progress")).toMatchObject({ kind: "waiting" });
    await theatre.pass(5000);
    await stage.run("progress");
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
  });

  it("spends the share of drift alone in a run that is for something else, which goes on without", async () => {
    const { theatre, life } = stage;
    await stage.start({ ...refused, ...rows, ...WAITS });
    await theatre.pass(10 * MINUTE_MS);
    spendBudgetOf(life, "dataApi.get", "drift");
    await stage.calls();
    expect(await stage.run("progress")).toMatchObject({
      kind: "waiting",
      reason: "ReferenceNotFound",
      retryAfterMs: 5000,
    });
    expect(await stage.calls()).not.toContain("dataApi.get");
    expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
    // By then it has missed its turn, and goes with what is more urgent.
    await theatre.pass(10 * MINUTE_MS);
    await stage.run("progress");
    expect(await stage.calls()).toContain("dataApi.get");
  });

  it("goes on in the next run with what it had no budget for", async () => {
    const { theatre, life } = stage;
    const session = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
    await stage.start({ ...rows, storage: { fileSizeLimit: "10Mi" }, ...WAITS });
    await theatre.pass(10 * MINUTE_MS);
    spendBudgetOf(life, "dataApi.get", "drift");
    await stage.run("progress");
    if (session !== undefined) life.environment.sessions.set(session);
    await stage.calls();
    await stage.run("progress");
    const calls = await stage.calls();
    expect(calls).toContain("dataApi.get");
    expect(calls).not.toContain("storage.get");
  });

  it("is remembered of nobody who was deleted meanwhile", async () => {
    let onRequest = (): void => undefined;
    await using watched = await openSectionStage({}, { onRequest: () => onRequest() });
    const { theatre } = watched;
    await watched.apply({ ...rows, managementPolicy: "Observe" });
    const shop = theatre.kubernetes.get("projects", NAMESPACE, "shop");
    theatre.kubernetes.put("projects", { ...shop, metadata: { name: "shop", namespace: NAMESPACE, finalizers: [] } });
    await using operator = await WholeOperator.start(theatre);
    onRequest = () => {
      theatre.kubernetes.delete("projects", NAMESPACE, "shop");
      operator.look();
    };
    operator.look();
    await operator.advance(10 * MINUTE_MS);
    expect(theatre.kubernetes.get("projects", NAMESPACE, "shop")).toBeUndefined();
    expect(operator.environment.driftChecks.size).toBe(0);
  });
});

it("a section that waits as it waited keeps no edit beside it from being told of", async () => {
  await stage.start(WAITS);
  await stage.start({ ...WAITS, name: "renamed" });
  const { metadata } = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop") ?? {};
  expect(stage.stored().observedGeneration).toBe(metadata?.generation);
  expect(stage.condition("Ready")).toMatchObject({ status: "Unknown", observedGeneration: metadata?.generation });
});
