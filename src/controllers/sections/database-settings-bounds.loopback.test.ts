import { expect, it } from "vitest";
import { openSectionStage } from "../../../test/support/sections/stage.ts";
import { postgresSettings } from "../../resources/settings/postgres-settings.ts";
import { settingsOf } from "../../resources/settings/setting.ts";

/** The bounds of sizes and durations of spec.database.settings, which the apiserver does not know. */

interface Outside {
  readonly path: string;
  readonly below: string | number;
  readonly above: string;
}

/** Of each setting with bounds of its own, by what its description tells of them. */
const outside = settingsOf(postgresSettings)
  .filter((row) => row.problem !== undefined)
  .map(({ path }): Outside => {
    const description = new Map(Object.entries(postgresSettings.shape)).get(path)?.unwrap().meta()?.description ?? "";
    const [, from = "", to = ""] = / (\S+) to (\S+)\. /u.exec(description) ?? [];
    // Beside 0 a setting may take -1.
    return {
      path,
      below: from === "0" ? -2 : 0,
      above: to.replace(/\d+(?=\D*$)/u, (last) => String(Number(last) + 1)),
    };
  });

it("a setting that no database takes fails its section with the very field named, and nothing is sent", async () => {
  expect(outside.length).toBeGreaterThan(15);
  await using stage = await openSectionStage();
  for (const { path, below, above } of outside) {
    for (const value of [below, above]) {
      const told = `${path}: ${value}`;
      await stage.apply({ database: { settings: { logConnections: true, [path]: value } } });
      const { state, reason, fields } = stage.entry("database.settings") ?? {};
      const named = [`spec.database.settings.${path}`];
      expect({ told, state, reason, fields }).toEqual({ told, state: "Failed", reason: "InvalidSpec", fields: named });
    }
  }
  expect(await stage.calls()).toEqual([]);
});
