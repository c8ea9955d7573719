import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  POSTGRES_SETTINGS,
  type PostgresSetting,
  postgresOverridesSchema,
} from "../../api/contract/postgres-config.ts";
import { postgresSettings } from "../../resources/settings/postgres-settings.ts";
import { settingsOf, type SettingRow } from "../../resources/settings/setting.ts";
import { overridesAfter, planSettings } from "./database-settings.ts";

const rows = settingsOf(postgresSettings);
const contract: Readonly<Record<string, PostgresSetting>> = POSTGRES_SETTINGS;

function camelCase(wire: string): string {
  return wire.replaceAll(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Values that the contract takes, as people write them. */
function valueOf({ wire }: SettingRow): fc.Arbitrary<unknown> {
  const setting = contract[wire];
  if (setting === undefined) throw new RangeError(wire);
  const count = fc.integer({ min: 1, max: 999 });
  switch (setting.kind) {
    case "size":
      return fc.oneof(
        fc.constant(0),
        fc.tuple(count, fc.constantFrom("kB", "MB", "GB", "Ki", "Mi", "Gi")).map((parts) => parts.join("")),
      );
    case "duration":
      return fc.oneof(
        fc.constant("0"),
        fc.constant("1h30m"),
        fc.tuple(count, fc.constantFrom("us", "ms", "s", "m", "min", "h", "d")).map((parts) => parts.join("")),
      );
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: setting.min, max: setting.max });
    case "enum":
      return fc.constantFrom("Origin", "Replica", "Local");
    default:
      return setting satisfies never;
  }
}

const settings = fc
  .record(Object.fromEntries(rows.map((row) => [row.path, valueOf(row)])), { requiredKeys: [] })
  .map((value) => postgresSettings.parse(value));

/** Whatever the platform overrides, things that nobody knows among them. */
const overrides = fc.dictionary(
  fc.constantFrom("work_mem", "max_connections", "cron.log_statement", "tomorrow_setting", "wal_level"),
  fc.oneof(fc.constantFrom("65536kB", "8MB", "logical"), fc.integer({ min: 1, max: 500 }), fc.boolean()),
);
const modes = fc.constantFrom("Merge" as const, "Replace" as const);

describe("the settings of a database", () => {
  it("are those of the contract, none more and none less, in camel case", () => {
    expect(rows.map(({ wire }) => wire).toSorted()).toEqual(Object.keys(contract).toSorted());
    expect(rows.map(({ path }) => path)).toEqual(rows.map(({ wire }) => camelCase(wire)));
  });

  it("that need a restart say so, and no others do", () => {
    const { properties = {} } = z.toJSONSchema(postgresSettings, { target: "openapi-3.0", io: "input" });
    const saying = rows.filter(({ path }) => JSON.stringify(properties[path]).includes("needs a restart"));
    const needing = Object.entries(contract).flatMap(([wire, { restart }]) => (restart ? [wire] : []));
    expect(saying.map(({ wire }) => wire).toSorted()).toEqual(needing.toSorted());
  });

  it("have the ranges of the contract", () => {
    for (const { path, wire } of rows) {
      const setting = contract[wire];
      if (setting?.kind !== "integer") continue;
      const takes = (value: number): boolean => postgresSettings.safeParse({ [path]: value }).success;
      expect([path, takes(setting.min), takes(setting.min - 1)]).toEqual([path, true, false]);
      expect([path, takes(setting.max), takes(setting.max + 1)]).toEqual([path, true, false]);
    }
  });

  it("are sent in a form that the contract takes", () => {
    fc.assert(
      fc.property(settings, (declared) => {
        const changes = planSettings({ settings: declared, mode: "Merge" }, {});
        expect(postgresOverridesSchema.safeParse(overridesAfter({}, changes)).success).toBe(true);
      }),
    );
  });

  it("[K-19] converge: what a plan writes leaves nothing to plan, whatever was there", () => {
    fc.assert(
      fc.property(settings, overrides, modes, (declared, before, mode) => {
        const after = overridesAfter(before, planSettings({ settings: declared, mode }, before));
        expect(planSettings({ settings: declared, mode }, after)).toEqual([]);
      }),
    );
  });

  it("[K-19] that are not declared stay under Merge, and are gone under Replace", () => {
    fc.assert(
      fc.property(settings, overrides, (declared, before) => {
        const wires = new Set(rows.filter(({ path }) => path in declared).map(({ wire }) => wire));
        const others = Object.fromEntries(Object.entries(before).filter(([wire]) => !wires.has(wire)));
        const merged = overridesAfter(before, planSettings({ settings: declared, mode: "Merge" }, before));
        expect(merged).toMatchObject(others);
        const replaced = overridesAfter(before, planSettings({ settings: declared, mode: "Replace" }, before));
        expect(Object.keys(replaced).toSorted()).toEqual([...wires].toSorted());
      }),
    );
  });

  it("[K-20] are in sync where none is declared and none is overridden", () => {
    expect(planSettings({ settings: {}, mode: "Merge" }, {})).toEqual([]);
    expect(planSettings({ settings: {}, mode: "Replace" }, {})).toEqual([]);
  });
});
