import type { Section } from "../../src/controllers/sections/section.ts";
import { sections } from "../../src/controllers/sections/sections.ts";
import { sectionStates } from "../../src/resources/settings/status.ts";
import { notSettable } from "./not-settable.ts";
import { code, escapeText, table } from "./reference-schema.ts";

/** docs/reference/sections.md: every section of a Project and Branch, what it calls and what of it cannot be read back. */

const NOTHING = "";

/** The one that belongs to what a project is, and to no section. */
const PASSWORD = [
  code("spec.databasePassword"),
  "Project",
  "Once for each value of its Secret; the status keeps a keyed hash of what was sent.",
];

function writeOnlyOf({ about, writeOnly = [] }: Section): readonly (readonly string[])[] {
  return writeOnly.map((field) => [code(`spec.${field}`), "Project, Branch", escapeText(about)]);
}

/** By which reason a refusal for the plan is told. */
const REFUSED = [
  "## What the plan refuses",
  "A section that the platform refuses has the state `Failed`. Its reason is `PlanLimit` where the answer says that the plan is in the way (402), and of " +
    "`spec.vanitySubdomain` where the platform answers 400 and the plan is known to have none. Of add-ons, the compute size and the size of files no answer is known that tells the plan from a bad " +
    "value: they have the reason `Rejected`. Either way the message names what is needed and not there; where it does, the section is not asked for again until its " +
    "spec, a value that it takes from elsewhere, the plan, the add-ons or the version of the database change.",
  "Any other refusal, for which nothing is known to be missing, and one under a plan that the token may not read, may pass: what was refused so is asked for again " +
    "every hour (at the drift check that follows). Both are asked for again at once with `baas.dev/reconcile-at: <anything new>`.\n",
].join("\n\n");

/** @param banner first line of a generated page */
export function sectionsPage(banner: string): string {
  const rows = sections.map(({ name, about, operations, after = [], needs = NOTHING }) => [
    code(`spec.${name}`),
    escapeText(about),
    operations.map((id) => code(id)).join(", "),
    after.length === 0
      ? NOTHING
      : after.map(({ section, where }) => `${code(`spec.${section}`)} ${escapeText(where)}`).join(", "),
    escapeText(needs),
  ]);
  const unreadable = [PASSWORD, ...sections.flatMap(writeOnlyOf)];
  const lacking = [...Map.groupBy(sections, ({ lacks }) => lacks)].flatMap(([lacks, those]) =>
    lacks === undefined ? [] : [[those.map(({ name }) => code(`spec.${name}`)).join(", "), escapeText(lacks)]],
  );
  const unset = notSettable.map(({ what, inApi, why }) => [
    escapeText(what),
    inApi.map((one) => code(one)).join(", "),
    escapeText(why),
  ]);
  const states = Object.entries(sectionStates).map(([state, meaning]) => [code(state), escapeText(meaning)]);
  return [
    `${banner}\n# Sections\n\nWhat a [Project](project.md) or [Branch](branch.md) is configured to be, part by part, in the order in which they are written. Each has an entry in ` +
      "`status.sections`. What is not declared is left as it is.\n",
    table(["Section", "What it is", "Operations", "Waits for", "Needs"], rows),
    REFUSED,
    `## What cannot be read back\n\nNo answer of the platform tells these fields: each is written once per change, and never found drifted.\n\n${table(["Field", "Of", "How it is written"], unreadable)}`,
    `## What the platform's API lacks\n\n${table(["Section", "What it lacks"], lacking)}`,
    `## What is not settable here\n\n${table(["What", "In the API", "Why, and what to do instead"], unset)}`,
    `## States\n\n${table(["State", "Means"], states)}`,
  ].join("\n");
}
