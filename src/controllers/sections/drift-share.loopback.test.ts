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
