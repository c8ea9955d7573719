import { expect, it, vi } from "vitest";
import type { EmulatorOptions } from "../emulator.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { askedWhileBusy } from "../../../test/support/emulator/busy.ts";
import { deploy, message } from "../../../test/support/emulator/scenario.ts";
import { REF } from "../../../test/support/emulator/every-call.ts";

/** What was begun before the deletion of its project, and comes to its end while that goes down. */

const SEED: EmulatorOptions["seed"] = {
  organizations: [{ slug: "acme", plan: "enterprise" }],
  projects: [{ name: "shop", ref: REF, pitr: true, branches: [{ name: "main" }] }],
};

it("a deploy that is bundled while its project goes down is 404, and stores nothing", async () => {
  await using under = await emulatorUnderTest({ seed: SEED, timings: { bundleMs: 1000, goingDownMs: 60_000 } });
  await under.control.functions.failBundle({ slug: "late" });
  const bundled = deploy(under, REF, "late");
  await vi.waitFor(() => expect(under.clock.pendingTimers).toBe(1), { interval: 5 });
  expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200);
  under.clock.advance(1000);
  const answer = await bundled;
  expect([answer.status, message(answer)]).toEqual([404, "Project not found"]);
  expect((await under.control.state.read()).projects).toMatchObject([
    { ref: REF, status: "GOING_DOWN", functions: [] },
  ]);
});

it.each<{ operation: string; path: string; body?: object; method?: "GET" | "POST" }>([
  { operation: "branches.create", path: "branches", body: { branch_name: "late" } },
  { operation: "database.query", path: "database/query", body: { query: "select 2" } },
  { operation: "database.queryReadOnly", path: "database/query/read-only", body: { query: "select 2" } },
  { operation: "database.typescriptTypes", path: "types/typescript" },
  { operation: "database.openapi", path: "database/openapi" },
  { operation: "database.context", path: "database/context" },
  { operation: "database.enableWebhooks", path: "database/webhooks/enable", method: "POST" },
  { operation: "migrations.apply", path: "database/migrations", body: { query: "create table late ()" } },
  { operation: "migrations.list", path: "database/migrations" },
  { operation: "advisors.performance", path: "advisors/performance" },
  {
    operation: "backups.restorePitr",
    path: "database/backups/restore-pitr",
    body: { recovery_time_target_unix: Date.UTC(2026, 0, 1) / 1000 + 60 },
  },
])(
  "$operation, which the database did while the project goes down, is 404",
  async ({ path, body, method = body === undefined ? "GET" : "POST" }) => {
    await using under = await emulatorUnderTest({ seed: SEED, timings: { goingDownMs: 60_000 } });
    under.clock.advance(120_000);
    // Open already: what waits for its database to open has not begun, and is 404 as well.
    await under.call("POST", `/v1/projects/${REF}/database/query`, { body: { query: "select 1" } });
    const { first, answers } = await askedWhileBusy(under, {
      ref: REF,
      asked: [{ method, path: `/v1/projects/${REF}/${path}`, ...(body === undefined ? {} : { body }) }],
      meanwhile: async () => expect((await under.call("DELETE", `/v1/projects/${REF}`)).status).toBe(200),
    });
    expect(answers.map((late) => [late.status, message(late)])).toEqual([[404, "Project not found"]]);
    expect(first.status).toBe(201);
    expect(await under.control.state.read()).toMatchObject({
      projects: [{ ref: REF, status: "GOING_DOWN" }],
      branches: [],
    });
  },
);
