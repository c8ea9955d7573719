import type { SectionEntry } from "../../resources/settings/status.ts";

/** Sections of the spec that are about the database. */
const DATABASE = "database.";

/**
 * What is remembered of sections when the database is another one than it was, taken back to a time or made anew: what was in force in it, and what
 * was sent to it, says nothing of this one. Pure.
 */
export function withoutDatabase(sections: readonly SectionEntry[] | undefined): readonly SectionEntry[] | undefined {
  return sections?.map((entry) => {
    if (!entry.name.startsWith(DATABASE)) return entry;
    const { applied: _applied, sent: _sent, ...others } = entry;
    return others;
  });
}
