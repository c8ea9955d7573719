import type { SectionEntry } from "../../resources/settings/status.ts";
import { digestOf } from "./memory.ts";
import type { Section, Sections } from "./section.ts";

/**
 * What an older version of this program left in the status, whose sections were cut otherwise. Without it every difference of a section that has got a name
 * of its own would be an edit: what somebody changed by hand, and the drift policy leaves, would be taken back by an upgrade of this program.
 */

/**
 * The entries of the sections that there are now: where one has none, and what it was part of is declared as it last was in force, it is in force as well.
 * Pure.
 *
 * @param stored entries of the status
 * @param declared sections that the spec declares
 */
export function entriesNow(
  stored: readonly SectionEntry[],
  declared: readonly Section[],
  spec: Sections,
): readonly SectionEntry[] {
  const byName = new Map(stored.map((entry) => [entry.name, entry]));
  const carried = declared.flatMap((section) => (byName.has(section.name) ? [] : carriedOver(section, byName, spec)));
  const former = new Set(declared.flatMap(({ formerly }) => formerly?.name ?? []));
  return [...stored.filter(({ name }) => !former.has(name)), ...carried];
}

/** Nothing else of the former entry is told of any one section: it is looked at first, and this shows where it cannot be. */
function carriedOver(
  section: Section,
  byName: ReadonlyMap<string, SectionEntry>,
  spec: Sections,
): readonly SectionEntry[] {
  const { name, formerly } = section;
  if (formerly === undefined || byName.get(formerly.name)?.applied !== digestOf(formerly.declared(spec))) return [];
  const applied = digestOf(section.declared(spec));
  return [{ name, state: "Waiting", reason: "Updating", message: "was not looked at by itself yet", applied }];
}
