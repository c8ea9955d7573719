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
  const former = new Set(declared.flatMap(({ formerly }) => formerly?.name ?? []));
  const unread = new Set(declared.filter((section) => isUnread(section, spec)).map(({ formerly }) => formerly?.name));
  const carried = declared.flatMap((section) =>
    byName.has(section.name) || isUnread(section, spec) ? [] : carriedOver(section, { byName, unread }, spec),
  );
  return [...stored.filter(({ name }) => !former.has(name)), ...carried];
}

/** Whether a section was part of a former one and cannot be read now. */
function isUnread({ formerly }: Section, spec: Sections): boolean {
  return formerly !== undefined && formerly.declared(spec) === undefined;
}

interface Stored {
  readonly byName: ReadonlyMap<string, SectionEntry>;
  /** former sections of which part cannot be read: whether all else is as it was nobody can tell, and what is taken for an edit would be written */
  readonly unread: ReadonlySet<string | undefined>;
}

/** Nothing else of the former entry is told of any one section: it is looked at first, and this shows where it cannot be. */
function carriedOver(section: Section, { byName, unread }: Stored, spec: Sections): readonly SectionEntry[] {
  const { name, formerly } = section;
  const before = formerly && byName.get(formerly.name)?.applied;
  if (formerly === undefined || before === undefined) return [];
  if (!unread.has(formerly.name) && before !== digestOf(formerly.declared(spec))) return [];
  const applied = digestOf(section.declared(spec));
  return [{ name, state: "Waiting", reason: "Updating", message: "was not looked at by itself yet", applied }];
}
