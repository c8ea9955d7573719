import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";

/** Machines of a project beside its own status, each held to a model of the texts: whatever is asked in whatever order. */

const REF = "abcdefghijklmnopqrst";
const PROJECT = `/v1/projects/${REF}`;
const HOUR_MS = 3_600_000;

const stage = (project: object = {}): Promise<EmulatorUnderTest> =>
  emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: {
      organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }],
      projects: [{ name: "shop", ref: REF, ...project }],
    },
  });

describe("a custom hostname", () => {
  type Status = "none" | "2_initiated" | "4_origin_setup_completed" | "5_services_reconfigured";
  interface Model {
    readonly addon: boolean;
    readonly answered: boolean;
    readonly status: Status;
  }
  const ACTS = {
    get: { method: "GET", path: "" },
    initialize: { method: "POST", path: "/initialize", body: { custom_hostname: "api.example.com" } },
    reverify: { method: "POST", path: "/reverify" },
    activate: { method: "POST", path: "/activate" },
    delete: { method: "DELETE", path: "" },
    deleteAll: { method: "DELETE", path: "?remove_addon=true" },
  } as const;
  type Act = keyof typeof ACTS;

  /** facts.md §5, "Custom hostname machine". */
  function answerTo(act: Act, { addon, answered, status }: Model): { readonly code: number; readonly next: Status } {
    const refused = { code: 400, next: status };
    if (!addon) return refused;
    const initiated = status === "none" ? ({ code: 201, next: "2_initiated" } as const) : { code: 544, next: status };
    if (act === "initialize") return initiated;
    if (status === "none") return refused;
    switch (act) {
      case "get":
        return { code: 200, next: status };
      case "reverify":
        if (status !== "2_initiated") return refused;
        return { code: 201, next: answered ? "4_origin_setup_completed" : status };
      case "activate":
        return status === "4_origin_setup_completed" ? { code: 201, next: "5_services_reconfigured" } : refused;
      case "delete":
      case "deleteAll":
        return { code: 200, next: "none" };
      default:
        return act satisfies never;
    }
  }

  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constantFrom(...(Object.keys(ACTS) as Act[])) }) }, // its own keys
    { weight: 1, arbitrary: fc.record({ set: fc.constantFrom("addon", "dns", "no dns") }) },
  );

  /** The way through every status, whatever chance adds to it. */
  const EVERY_STATUS = [
    { set: "addon" },
    { set: "dns" },
    { act: "initialize" },
    { act: "reverify" },
    { act: "activate" },
    { act: "delete" },
    { act: "initialize" },
  ] as const;

  it("answers every act as the texts say, and stands where they say", async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
        await using under = await stage();
        let model: Model = { addon: false, answered: false, status: "none" };
        for (const one of steps) {
          if ("set" in one) {
            model = await set(under, one.set, model);
            continue;
          }
          const { method, path, ...rest } = ACTS[one.act];
          const { status, json } = await under.call(method, `${PROJECT}/custom-hostname${path}`, rest);
          const { code, next } = answerTo(one.act, model);
          expect({ ...one, model, code: status }).toEqual({ ...one, model, code });
          model = { ...model, addon: model.addon && !(one.act === "deleteAll" && code === 200), status: next };
          const says = z.object({ status: z.string() }).safeParse(json).data?.status;
          expect(says).toBe(code < 300 && !one.act.startsWith("delete") ? next : undefined);
          reached.add(next);
        }
      }),
      { numRuns: 40, examples: [[[...EVERY_STATUS]]] },
    );
    expect(reached.size, "every status is reached").toBe(4);
  });

  async function set({ call, control }: EmulatorUnderTest, what: string, model: Model): Promise<Model> {
    if (what === "addon") {
      const body = { addon_variant: "cd_default", addon_type: "custom_domain" };
      await call("PATCH", `${PROJECT}/billing/addons`, { body });
      return { ...model, addon: true };
    }
    await control.dns.set({ name: "example.com", obeys: what === "dns" });
    return { ...model, answered: what === "dns" };
  }
});

describe("signing keys", () => {
  const STATUSES = ["standby", "in_use", "previously_used", "revoked"] as const;
  type Status = (typeof STATUSES)[number];
  interface Key {
    readonly status: Status;
    readonly sinceMs: number;
  }
  type Keys = ReadonlyMap<string, Key>;
  const MOVES: Readonly<Record<Status, readonly Status[]>> = {
    standby: ["in_use", "previously_used", "revoked"],
    in_use: [],
    previously_used: ["in_use", "standby", "revoked"],
    revoked: ["standby", "previously_used"],
  };
  const keySchema = z.object({ id: z.string(), status: z.string() });
  const PATH = `${PROJECT}/config/auth/signing-keys`;

  const step = fc.oneof(
    fc.record({ create: fc.constantFrom("standby", "in_use", undefined) }),
    fc.record({ nth: fc.nat(3), to: fc.constantFrom(...STATUSES) }),
    fc.record({ nth: fc.nat(3), to: fc.constantFrom(...STATUSES) }),
    fc.record({ nth: fc.nat(3), remove: fc.constant(true) }),
    fc.record({ waitMs: fc.constantFrom(HOUR_MS, 24 * HOUR_MS - 1, 24 * HOUR_MS) }),
  );
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  /** The way through every status and to a deletion, whatever chance adds to it. */
  const EVERY_STATUS: readonly Step[] = [
    { create: "in_use" },
    { create: undefined },
    { nth: 1, to: "in_use" },
    { nth: 0, to: "revoked" },
    { waitMs: 24 * HOUR_MS - 1 },
    { nth: 0, remove: true },
    { waitMs: HOUR_MS },
    { nth: 0, remove: true },
  ];

  /** The key that comes into use makes the one before it a previous one. */
  function moved(keys: Keys, id: string, to: Status, nowMs: number): Keys {
    const others = [...keys].map(([key, known]): [string, Key] =>
      to === "in_use" && known.status === "in_use"
        ? [key, { status: "previously_used", sinceMs: nowMs }]
        : [key, known],
    );
    return new Map([...others, [id, { status: to, sinceMs: nowMs }]]);
  }

  async function act(under: EmulatorUnderTest, one: Step, keys: Keys): Promise<Keys> {
    if ("create" in one) return create(under, one.create, keys);
    if (!("waitMs" in one)) return actOn(under, one, keys);
    under.clock.advance(one.waitMs);
    return keys;
  }

  async function create(under: EmulatorUnderTest, wanted: "standby" | "in_use" | undefined, keys: Keys): Promise<Keys> {
    const body = { algorithm: "HS256", ...(wanted === undefined ? {} : { status: wanted }) };
    const { status, json } = await under.call("POST", PATH, { body });
    deepStrictEqual(status, 201);
    return moved(keys, keySchema.parse(json).id, wanted ?? "standby", under.clock.now());
  }

  async function actOn(
    under: EmulatorUnderTest,
    one: Exclude<Step, { create: unknown } | { waitMs: unknown }>,
    keys: Keys,
  ) {
    const [id, known] = [...keys][one.nth] ?? ["00000000-0000-4000-8000-000000000000", undefined];
    const nowMs = under.clock.now();
    const isRemoval = "remove" in one;
    const allowed = isRemoval ? hasRested(known, nowMs) : mayMove(known, one.to);
    const method = isRemoval ? "DELETE" : "PATCH";
    const { status } = await under.call(method, `${PATH}/${id}`, isRemoval ? {} : { body: { status: one.to } });
    deepStrictEqual({ one, known, status }, { one, known, status: known === undefined ? 404 : allowed ? 200 : 400 });
    if (!allowed) return keys;
    if (isRemoval) return new Map([...keys].filter(([key]) => key !== id));
    return known?.status === one.to ? keys : moved(keys, id, one.to, nowMs);
  }

  function hasRested(key: Key | undefined, nowMs: number): boolean {
    return key?.status === "revoked" && nowMs - key.sinceMs >= 24 * HOUR_MS;
  }

  function mayMove(key: Key | undefined, to: Status): boolean {
    return key !== undefined && (key.status === to || MOVES[key.status].includes(to));
  }

  it("[K-39] are never two in use, and go where they may alone", async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
        await using under = await stage();
        let keys: Keys = new Map();
        for (const one of steps) {
          keys = await act(under, one, keys);
          const { json } = await under.call("GET", PATH);
          const listed = z.object({ keys: z.array(keySchema) }).parse(json).keys;
          const statuses = Object.fromEntries(listed.map(({ id, status }) => [id, status]));
          expect(statuses).toEqual(Object.fromEntries([...keys].map(([id, { status }]) => [id, status])));
          expect(listed.filter(({ status }) => status === "in_use").length).toBeLessThanOrEqual(1);
          for (const { status } of listed) reached.add(status);
        }
      }),
      { numRuns: 40, examples: [[[...EVERY_STATUS]]] },
    );
    expect([...reached].toSorted()).toEqual(STATUSES.toSorted());
  });
});

describe("an upgrade", () => {
  const ERRORS = [null, "1_upgraded_instance_launch_failed", "5_data_upgrade_completion_failed"] as const;
  const statusSchema = z.object({
    databaseUpgradeStatus: z.object({ progress: z.string().nullish(), error: z.string().nullish() }).nullable(),
  });
  const numberOf = (text: string | null | undefined): number => Number.parseInt(text ?? "-1", 10);

  it("goes step by step to its end or its error, and stays there", async () => {
    const waits = fc.array(fc.constantFrom(1, 100, 500, 1000, 5000, 30_000), {
      minLength: 5,
      maxLength: 60,
      size: "max",
    });
    await fc.assert(
      fc.asyncProperty(waits, fc.constantFrom(...ERRORS), async (waitsMs, nextError) => {
        await using under = await stage({ postgresVersion: "17.4.1.048" });
        if (nextError !== null) await under.control.upgrades.obstruct({ ref: REF, nextError });
        expect((await under.call("POST", `${PROJECT}/upgrade`, { body: { target_version: "17" } })).status).toBe(201);
        let [before, failed] = [0, false];
        for (const waitMs of [0, ...waitsMs, 600_000]) {
          under.clock.advance(waitMs);
          const { json } = await under.call("GET", `${PROJECT}/upgrade/status`);
          const { databaseUpgradeStatus: now } = statusSchema.parse(json);
          const progress = numberOf(now?.progress);
          expect(progress).toBeGreaterThanOrEqual(before);
          expect(failed ? progress : before, "what failed goes no further").toBe(before);
          before = progress;
          failed = now?.error !== null && now?.error !== undefined;
        }
        expect([before, failed]).toEqual(nextError === null ? [10, false] : [numberOf(nextError), true]);
      }),
      // each end, whatever chance adds to it
      { numRuns: 30, examples: ERRORS.map((error) => [[1, 100, 500, 1000, 5000, 30_000], error]) },
    );
  });
});
