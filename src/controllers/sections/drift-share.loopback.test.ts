import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { spendBudgetOf } from "../../../test/support/controllers/no-budget.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What a drift check spends of the share of drift, in a run that is for something else, and what it does while that is spent (ADR 20). */

const INTERVAL_MS = 600_000;
const WAITS = { encryptionRootKey: { secretKeyRef: { name: "none-yet", key: "rootKey" } } };

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

/** Makes a run for what is under way while the share of drift has budget for so many requests of an operation. */
async function runWith(operation: string, requests: number): Promise<unknown> {
  const { life } = stage;
  const session = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
  spendBudgetOf(life, operation, "drift", requests);
  const outcome = await stage.run("progress");
  if (session !== undefined) life.environment.sessions.set(session);
  return outcome;
}

describe("what follows a write that a drift check finds due", () => {
  const corrected = (): number => stage.life.events.filter(({ reason }) => reason === "DriftCorrected").length;

  it.each([
    {
      what: "the look at what came of it",
      operation: "storage.get",
      spec: { storage: { fileSizeLimit: "10Mi" } },
      drift: () => stage.client.storage.update({ ref: stage.ref, body: { fileSizeLimit: 1024 } }),
    },
    {
      what: "the look right before it",
      operation: "postgresConfig.get",
      spec: { database: { settings: { statementTimeout: "1m" } } },
      drift: () => stage.client.postgresConfig.replace({ ref: stage.ref, body: { statement_timeout: "5s" } }),
    },
  ])("goes with that: $what, so that it is told and counted", async ({ operation, spec, drift }) => {
    await stage.apply(spec);
    await stage.start({ ...spec, ...WAITS });
    for (const told of [1, 2, 3]) {
      await stage.theatre.pass(INTERVAL_MS);
      await drift();
      expect(await runWith(operation, 1)).toMatchObject({ kind: "waiting", reason: "ReferenceNotFound" });
      expect(corrected()).toBe(told);
    }
    await stage.theatre.pass(INTERVAL_MS);
    await drift();
    await runWith(operation, 1);
    expect(stage.condition("Converging")).toMatchObject({ status: "False" });
  });
});

describe("while a drift check waits for its share", () => {
  const ROWS = { dataApi: { maxRows: 100 } };
  const HOOK = { sendSms: { enabled: true } };
  const OUTPUT = { writeConnectionSecretToRef: { name: "out", keys: [{ key: "host" }] } };

  function heldHost(): string | undefined {
    const { data } = (stage.theatre.kubernetes.get("secrets", NAMESPACE, "out") ?? {}) as {
      data?: Record<string, string>;
    };
    const host = data?.["host"];
    return host === undefined ? undefined : Buffer.from(host, "base64").toString();
  }

  /** Somebody else writes the output. */
  function takeOutput(): void {
    const { metadata } = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out") ?? {};
    const data = { host: Buffer.from("theirs").toString("base64") };
    stage.theatre.kubernetes.put("secrets", { metadata: { ...metadata, name: "out", namespace: NAMESPACE }, data });
  }

  /** Until it is left to them. */
  async function contest(): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      takeOutput();
      await stage.run("progress");
    }
    expect(heldHost()).toBe("theirs");
  }

  /** Operations of so many runs for what is under way, of which none has budget for the look at a section. */
  async function callsOf(runs: number, operation: string): Promise<readonly string[]> {
    await stage.calls();
    for (let run = 0; run < runs; run += 1) {
      expect(await runWith(operation, 0)).toMatchObject({ kind: "waiting", retryAfterMs: 5000 });
    }
    return stage.calls();
  }

  const countOf = (calls: readonly string[], operation: string): number =>
    calls.filter((id) => id === operation).length;

  it.each([
    { what: "what the plan has not", auth: { hooks: HOOK }, looks: 0 },
    { what: "a field that the plan has not", auth: { siteUrl: "https://shop.example.com", hooks: HOOK }, looks: 1 },
  ])("$what is looked into once", async ({ auth, looks }) => {
    await stage.start({ auth, ...ROWS, ...WAITS });
    await stage.theatre.pass(INTERVAL_MS);
    const calls = await callsOf(4, "dataApi.get");
    expect(stage.entry("auth")).toMatchObject({ state: "Failed" });
    expect(countOf(calls, "organizations.get")).toBe(1);
    expect(countOf(calls, "addons.list")).toBe(1);
    expect(countOf(calls, "authConfig.get")).toBe(looks);
  });

  it("what hangs on the plan is not looked into again where its own look is what waits", async () => {
    await stage.start({ auth: { siteUrl: "https://shop.example.com", hooks: HOOK }, ...WAITS });
    await stage.theatre.pass(INTERVAL_MS);
    const calls = await callsOf(4, "authConfig.get");
    expect(countOf(calls, "organizations.get")).toBe(1);
    await stage.run("progress");
    expect(await stage.calls()).toContain("authConfig.get");
  });

  it("what may pass is looked at once, and spends that share", async () => {
    const fault = { kind: "status", status: 400, body: { message: "not now" } } as const;
    const { faults } = stage.theatre.emulator.control;
    await faults.add({ operation: "storage.update", count: null, fault });
    await stage.start({ storage: { fileSizeLimit: "10Mi" }, ...ROWS, ...WAITS });
    expect(stage.entry("storage")).toMatchObject({ state: "Failed", refused: { mayPass: true } });
    await stage.theatre.pass(INTERVAL_MS);
    expect(countOf(await callsOf(4, "dataApi.get"), "storage.get")).toBe(1);
    await stage.run("progress");
    await stage.theatre.pass(INTERVAL_MS);
    expect(await callsOf(1, "storage.get")).not.toContain("storage.get");
    await stage.run("progress");
    expect(await stage.calls()).toContain("storage.get");
  });

  it("an output that somebody else writes is taken back once", async () => {
    await stage.start({ ...ROWS, ...OUTPUT, ...WAITS });
    await contest();
    await stage.theatre.pass(INTERVAL_MS);
    await callsOf(1, "dataApi.get");
    expect(heldHost()).not.toBe("theirs");
    takeOutput();
    await callsOf(3, "dataApi.get");
    expect(heldHost()).toBe("theirs");
  });

  it("is not begun by a run that comes to no section, which leaves such an output to them", async () => {
    const { control } = stage.theatre.emulator;
    await stage.start({ auth: { hooks: HOOK }, ...OUTPUT, ...WAITS });
    await contest();
    await control.organizations.patch({ slug: "acme", plan: "pro" });
    await stage.theatre.pass(INTERVAL_MS);
    const fault = { kind: "status", status: 500, body: { message: "no" } } as const;
    await control.faults.add({ operation: "projects.health", count: null, fault });
    expect(await stage.run("progress")).toMatchObject({ kind: "transient" });
    expect(heldHost()).toBe("theirs");
    await control.faults.clear();
    await stage.run("progress");
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(heldHost()).not.toBe("theirs");
  });
});
