import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";

/** A project never leaves the graph of its statuses, whatever is asked of it and whenever, and what is refused moves nothing. */

const GONE = "gone";
/** When the clock of the tests begins, seconds since the epoch. */
const START_S = Date.UTC(2026, 0, 1) / 1000;

/** What a status becomes by itself. */
const BY_ITSELF: Readonly<Record<string, string>> = {
  UNKNOWN: "COMING_UP",
  COMING_UP: "ACTIVE_HEALTHY",
  PAUSING: "INACTIVE",
  RESTORING: "ACTIVE_HEALTHY",
  RESTARTING: "ACTIVE_HEALTHY",
  RESIZING: "ACTIVE_HEALTHY",
  UPGRADING: "ACTIVE_HEALTHY",
};

interface Act {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** where it leads to something else */
  readonly from: readonly string[];
  /** to what */
  readonly to: readonly string[];
  /** a setting: one that needs nothing to be done is taken whatever the project does */
  readonly isSetting?: true;
}

const RUNNING = ["ACTIVE_HEALTHY"];
const ACTS: Readonly<Record<string, Act>> = {
  pause: { method: "POST", path: "/pause", from: RUNNING, to: ["PAUSING"] },
  restore: { method: "POST", path: "/restore", from: ["INACTIVE"], to: ["RESTORING"] },
  cancelRestore: { method: "POST", path: "/restore/cancel", from: ["RESTORING"], to: ["INACTIVE"] },
  restart: { method: "POST", path: "/restart", from: RUNNING, to: ["RESTARTING"] },
  resize: {
    method: "PATCH",
    path: "/billing/addons",
    body: { addon_variant: "ci_small", addon_type: "compute_instance" },
    from: RUNNING,
    to: ["RESIZING"],
    isSetting: true,
  },
  resizeBack: { method: "DELETE", path: "/billing/addons/ci_small", from: RUNNING, to: ["RESIZING"] },
  upgrade: { method: "POST", path: "/upgrade", body: { target_version: "17" }, from: RUNNING, to: ["UPGRADING"] },
  restorePitr: {
    method: "POST",
    path: "/database/backups/restore-pitr",
    body: { recovery_time_target_unix: START_S + 100 },
    from: RUNNING,
    to: ["RESTORING"],
  },
  enforceSsl: {
    method: "PUT",
    path: "/ssl-enforcement",
    body: { requestedConfig: { database: true } },
    from: RUNNING,
    to: ["RESTARTING"],
    isSetting: true,
  },
  setPostgres: {
    method: "PUT",
    path: "/config/database/postgres",
    body: { max_connections: 77 },
    from: RUNNING,
    to: ["RESTARTING"],
    isSetting: true,
  },
  delete: {
    method: "DELETE",
    path: "",
    from: Object.keys({ ...BY_ITSELF, ACTIVE_HEALTHY: "", INACTIVE: "" }).filter(
      (status) => status !== "UNKNOWN" && status !== "COMING_UP",
    ),
    to: [GONE, "GOING_DOWN"],
  },
};

/** Those that need another one before them more often, what ends it all seldom. */
const acts = Object.keys(ACTS).flatMap((act) =>
  act === "delete" ? [] : /restore|pause|resize/i.test(act) ? [act, act, act] : [act],
);
const step = fc.oneof(
  { weight: 30, arbitrary: fc.record({ act: fc.constantFrom(...acts) }) },
  { weight: 1, arbitrary: fc.constant({ act: "delete" }) },
  { weight: 20, arbitrary: fc.record({ waitMs: fc.constantFrom(1, 500, 2000, 10_000, 120_000, 600_000) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The way along every edge of the graph, whatever chance adds to it: each act and then its end, unless another one comes before. */
const EVERY_EDGE: readonly Step[] = [
  "",
  "pause",
  "restore",
  "restart",
  "resize",
  "resizeBack",
  "upgrade",
  "restorePitr",
  "enforceSsl",
  "setPostgres",
  "pause",
  "restore, cancelRestore",
  "delete",
].flatMap((acts): Step[] => [
  ...acts.split(", ").flatMap((act) => (act === "" ? [] : [{ act }])),
  { waitMs: 1 },
  { waitMs: 2000 },
  { waitMs: 120_000 },
]);

const projectSchema = z.object({ status: z.string(), ref: z.string() });

async function statusOf({ call }: EmulatorUnderTest, ref: string): Promise<string> {
  const { status, json } = await call("GET", `/v1/projects/${ref}`);
  return status === 404 ? GONE : projectSchema.parse(json).status;
}

/** Every status that the one becomes by itself, itself included. */
function laterThan(status: string): readonly string[] {
  const next = BY_ITSELF[status];
  return next === undefined ? [status] : [status, ...laterThan(next)];
}

/** What an act that was accepted may have led to; nothing where it must have been refused. */
function ledTo({ from, to, isSetting }: Act, before: string): readonly string[] {
  return [...(from.includes(before) ? to : []), ...(isSetting === true ? [before] : [])];
}

describe("a project", () => {
  it("keeps to the graph of its statuses", { timeout: 120_000 }, async () => {
    const acted = new Set<string>();
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80, size: "max" }), async (steps) => {
        await using under = await emulatorUnderTest({
          limits: { requestsPerMinute: 0 },
          seed: { organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }] },
        });
        const named = { name: "shop", db_pass: "correct horse", organization_slug: "acme" };
        const body = { ...named, desired_instance_size: "medium" };
        const { ref } = projectSchema.parse((await under.call("POST", "/v1/projects", { body })).json);
        await under.control.releases.publish({ version: "17.9.9.001" });
        const pitr = { addon_variant: "pitr_7", addon_type: "pitr" };
        await under.call("PATCH", `/v1/projects/${ref}/billing/addons`, { body: pitr });
        let before = await statusOf(under, ref);
        expect(before).toBe("UNKNOWN");
        for (const one of steps) {
          if ("waitMs" in one) under.clock.advance(one.waitMs);
          const act = "act" in one ? ACTS[one.act] : undefined;
          const answer =
            act === undefined
              ? undefined
              : await under.call(act.method, `/v1/projects/${ref}${act.path}`, { body: act.body });
          const isAccepted = answer !== undefined && answer.status < 300;
          const after = await statusOf(under, ref);
          const seen = { ...one, before, answer: answer?.status, after };
          const allowed = act === undefined ? laterThan(before) : isAccepted ? ledTo(act, before) : [before];
          expect({ ...seen, isAllowed: allowed.includes(after) }).toEqual({ ...seen, isAllowed: true });
          if (isAccepted && "act" in one && after !== before) acted.add(one.act);
          before = after;
          reached.add(after);
        }
      }),
      { numRuns: 60, examples: [[[...EVERY_EDGE]]] },
    );
    expect(
      Object.keys(ACTS).filter((act) => !acted.has(act)),
      "acts that led nowhere",
    ).toEqual([]);
    const graph = [...Object.keys(BY_ITSELF), "ACTIVE_HEALTHY", "INACTIVE", GONE];
    expect([...reached].toSorted()).toEqual(graph.toSorted());
  });
});
