import { sections } from "../../src/controllers/sections/sections.ts";
import { sectionStates } from "../../src/resources/settings/status.ts";
import { code, escapeText, table } from "./reference-schema.ts";

/** docs/reference/sections.md: every section of a Project and Branch, what it calls and what of it cannot be read back. */

const NOTHING = "";

/** @param banner first line of a generated page */
export function sectionsPage(banner: string): string {
  const rows = sections.map(({ name, about, operations, after = [], needs = NOTHING, writeOnly = [] }) => [
    code(`spec.${name}`),
    escapeText(about),
    operations.map((id) => code(id)).join(", "),
    after.length === 0
      ? NOTHING
      : after.map(({ section, where }) => `${code(`spec.${section}`)} ${escapeText(where)}`).join(", "),
    escapeText(needs),
    writeOnly.map((field) => code(`spec.${field}`)).join(", "),
  ]);
  const lacking = sections.flatMap(({ name, lacks }) =>
    lacks === undefined ? [] : [[code(`spec.${name}`), escapeText(lacks)]],
  );
  const states = Object.entries(sectionStates).map(([state, meaning]) => [code(state), escapeText(meaning)]);
  return [
    `${banner}\n# Sections\n\nWhat a [Project](project.md) or [Branch](branch.md) is configured to be, part by part, in the order in which they are written. Each has an entry in ` +
      "`status.sections`. What is not declared is left as it is.\n",
    table(["Section", "What it is", "Operations", "Waits for", "Needs", "Cannot be read back"], rows),
    "What cannot be read back is written once per change and never found drifted. `spec.databasePassword` is such a field too.\n",
    `## What the platform's API lacks\n\n${table(["Section", "What it lacks"], lacking)}`,
    `## States\n\n${table(["State", "Means"], states)}`,
  ].join("\n");
}
