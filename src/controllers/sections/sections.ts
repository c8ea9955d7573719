import { dataApiSection, poolerSection, realtimeSection, storageSection } from "./merge-sections.ts";
import type { Section, Sections } from "./section.ts";
import type { SectionReferences } from "./section-references.ts";

/**
 * Every section, in the order in which they are written: first what others need (add-ons), then what asks for a restart of the database, so that one
 * restart serves all.
 */
export const sections: readonly Section[] = [poolerSection, dataApiSection, realtimeSection, storageSection];

/** Secrets and ConfigMaps that the sections of a spec are made of, by name in the object's namespace. */
export function sectionReferences(spec: Sections): SectionReferences {
  const all = sections.map((one) => one.references(spec));
  return {
    secrets: all.flatMap(({ secrets }) => secrets),
    configMaps: all.flatMap(({ configMaps }) => configMaps),
  };
}
