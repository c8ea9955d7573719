import { z } from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import type { ApiClient } from "../../api/client.ts";
import { contract } from "../../api/contract/contract.ts";
import { dataApiSettings } from "../../resources/settings/data-api.ts";
import { poolerSettings } from "../../resources/settings/pooler.ts";
import { realtimeSettings } from "../../resources/settings/realtime.ts";
import { type SettingRow, settingsOf, valueAt, type Wire } from "../../resources/settings/setting.ts";
import { storageSettings } from "../../resources/settings/storage.ts";
import { bodyOf } from "./field-plan.ts";

/** Every setting of the sections whose endpoint takes any subset: set, seen, drifted, repaired, taken out and left alone, with the writes counted. */

interface Endpoint {
  readonly section: string;
  readonly settings: Parameters<typeof settingsOf>[0];
  readonly update: string;
  read(client: ApiClient, ref: string): Promise<unknown>;
  /** as somebody else would */
  write(client: ApiClient, ref: string, body: unknown): Promise<unknown>;
}

const endpoints: readonly Endpoint[] = [
  {
    section: "dataApi",
    settings: dataApiSettings,
    update: "dataApi.update",
    read: (client, ref) => client.dataApi.get({ ref }),
    write: (client, ref, body) => client.dataApi.update({ ref, body: contract.dataApi.update.body.schema.parse(body) }),
  },
  {
    section: "realtime",
    settings: realtimeSettings,
    update: "realtime.update",
    read: (client, ref) => client.realtime.get({ ref }),
    write: (client, ref, body) =>
      client.realtime.update({ ref, body: contract.realtime.update.body.schema.parse(body) }),
  },
  {
    section: "storage",
    settings: storageSettings,
    update: "storage.update",
    read: (client, ref) => client.storage.get({ ref }),
    write: (client, ref, body) =>
      client.storage.update({ ref, body: contract.storage.update.body.schema.parse(withSwitch(body)) }),
  },
  {
    section: "database.pooler",
    settings: poolerSettings,
    update: "pooler.update",
    read: async (client, ref) => (await client.pooler.get({ ref }))[0],
    write: (client, ref, body) => client.pooler.update({ ref, body: contract.pooler.update.body.schema.parse(body) }),
  },
];

/** A feature is written with its switch. */
function withSwitch(body: unknown): unknown {
  const features = valueAt(body, "features");
  if (typeof features !== "object" || features === null) return body;
  const switched = Object.entries(features).map(([name, feature]): readonly [string, unknown] => [
    name,
    { enabled: false, ...z.looseObject({}).parse(feature) },
  ]);
  return { features: Object.fromEntries(switched) };
}

/** What people may write, of whatever kind the setting is. */
const POOL: readonly unknown[] = [
  true,
  false,
  17,
  18,
  "200k",
  "300k",
  "10Mi",
  ["public"],
  ["public", "private"],
  "Main",
  "Canary",
  "Session",
  "Transaction",
];

interface Sample {
  readonly declared: unknown;
  readonly wire: Wire;
}

/** Two values that mean different things to the platform. */
function samplesOf(row: SettingRow): readonly [Sample, Sample] {
  const samples = POOL.flatMap((declared): readonly Sample[] => {
    try {
      return [{ declared, wire: row.encode(declared) }];
    } catch {
      return [];
    }
  });
  const [first] = samples;
  const second = samples.find(({ wire }) => first !== undefined && !row.isSame(wire, first.wire));
  if (first === undefined || second === undefined) throw new Error(`no two samples of ${row.path}`);
  return [first, second];
}

/** `{a: {b: value}}` of `a.b`. */
function nested(path: string, value: unknown): object {
  return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object; // of at least one name
}

let stage: SectionStage;

beforeAll(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const rows = endpoints.flatMap((endpoint) =>
  settingsOf(endpoint.settings).map((row) => ({ at: `spec.${endpoint.section}.${row.path}`, endpoint, row })),
);

describe.each(rows)("$at", ({ at, endpoint, row }) => {
  const { section, update } = endpoint;
  const seen = async (): Promise<unknown> => valueAt(await endpoint.read(stage.client, stage.ref), row.wire);
  const writes = async (): Promise<number> => (await stage.calls()).filter((operation) => operation === update).length;

  it("is set, repaired, and left alone when it is taken out", async () => {
    const [other, mine] = samplesOf(row);
    const byHand = (): Promise<unknown> =>
      endpoint.write(stage.client, stage.ref, bodyOf([{ wire: row.wire, value: other.wire }]));
    await stage.theatre.pass(60_001); // a budget of its own
    await byHand();
    await stage.calls();
    expect(await stage.apply(nested(`${section}.${row.path}`, mine.declared))).toMatchObject({ kind: "done" });
    expect(row.isSame(mine.wire, await seen())).toBe(true);
    expect(await writes()).toBe(1);
    await byHand();
    await stage.calls();
    await stage.run();
    expect(row.isSame(mine.wire, await seen())).toBe(true);
    expect(await writes()).toBe(1);
    const told = stage.life.events.findLast(({ reason }) => reason === "DriftCorrected");
    expect(told?.note).toContain(at);
    await stage.apply({});
    await byHand();
    await stage.calls();
    await stage.run();
    expect(await writes()).toBe(0);
    expect(row.isSame(other.wire, await seen())).toBe(true);
  });
});
