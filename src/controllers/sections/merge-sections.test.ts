import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contract } from "../../api/contract/contract.ts";
import { dataApiSettings } from "../../resources/settings/data-api.ts";
import { poolerSettings } from "../../resources/settings/pooler.ts";
import { realtimeSettings } from "../../resources/settings/realtime.ts";
import { settingsOf } from "../../resources/settings/setting.ts";
import { storageSettings } from "../../resources/settings/storage.ts";

/** Dotted paths of every leaf of a request's schema. */
function leavesOf(schema: unknown, prefix = ""): readonly string[] {
  const inner: unknown = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject)) return [prefix];
  return Object.entries<unknown>(inner.shape).flatMap(([name, member]) =>
    leavesOf(member, prefix === "" ? name : `${prefix}.${name}`),
  );
}

describe("the settings of a section", () => {
  it.each([
    { section: "dataApi", settings: dataApiSettings, body: contract.dataApi.update.body.schema },
    { section: "realtime", settings: realtimeSettings, body: contract.realtime.update.body.schema },
    { section: "storage", settings: storageSettings, body: contract.storage.update.body.schema },
    { section: "database.pooler", settings: poolerSettings, body: contract.pooler.update.body.schema },
  ])("are what the contract's request takes, no more and no less: $section", ({ settings, body }) => {
    expect(
      settingsOf(settings)
        .map(({ wire }) => wire)
        .toSorted(),
    ).toEqual([...leavesOf(body)].toSorted());
  });
});
