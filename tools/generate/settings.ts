import { z } from "zod";
import { sections } from "../../src/controllers/sections/sections.ts";
import { type SettingRow, type SettingSource, settingsOf } from "../../src/resources/settings/setting.ts";
import { projectSettingsFields } from "../../src/resources/settings/settings.ts";
import { code, table } from "./reference-schema.ts";

/** docs/reference/settings.md: what the Management API calls each setting, for those who know the one name and look for the other. */

const sources: Readonly<Record<SettingSource, string>> = { spec: "", secret: "Secret", document: "text or ConfigMap" };

function rowsOf(rows: readonly SettingRow[]): string {
  const cells = rows.map(({ path, wire, source }) => [code(`spec.${path}`), code(wire), sources[source]]);
  return table(["Field", "In the API", "From"], cells);
}

/** @param banner first line of a generated page */
export function settingsPage(banner: string): string {
  const rows = settingsOf(z.object(projectSettingsFields));
  const parts = sections.flatMap(({ name, operations }) => {
    const mine = rows.filter(({ path }) => path.startsWith(`${name}.`));
    if (mine.length === 0) return [];
    const calls = operations.map((id) => code(id)).join(", ");
    return [`## ${code(`spec.${name}`)}\n\nBy ${calls}.\n\n${rowsOf(mine)}`];
  });
  const about =
    "What the Management API calls each setting. What they mean, and what may be written, stands with the kinds: [Project](project.md), " +
    "[Branch](branch.md).\n";
  return [`${banner}\n# Settings\n\n${about}`, ...parts].join("\n");
}
