import type { RefusedSections } from "../../resources/read-spec.ts";
import { terminal } from "../shared/failures.ts";
import type { Section } from "./section.ts";
import { NO_REFERENCES } from "./section-references.ts";
import { sections } from "./sections.ts";
import { WantingError } from "./wanting.ts";

/**
 * Sections whose part of the spec cannot be read, as of an object that was stored before a rule of today: each of them fails, with the fields named, and
 * asks for nothing. The others go on.
 */

/** Every section as an object has it. @param refused what of its spec is wrong, by section */
export function sectionsOf({ refused }: { readonly refused?: RefusedSections | undefined }): readonly Section[] {
  if (refused === undefined) return sections;
  return sections.map((section) => {
    const issues = refused.get(section.name);
    return issues === undefined ? section : refusedSection(section, issues);
  });
}

function refusedSection(
  { name, about, operations, formerly }: Section,
  issues: readonly { readonly path: string; readonly message: string }[],
): Section {
  const message = issues.map((one) => `${one.path}: ${one.message}`).join("; ");
  const prefix = `spec.${name}.`;
  // What is wrong of the section as a whole is wrong of no field of it alone.
  const isOfFields = issues.every(({ path }) => path.startsWith(prefix));
  const paths = [...new Set(issues.map(({ path }) => path.slice(prefix.length)))];
  return {
    name,
    about,
    operations,
    ...(formerly === undefined ? {} : { formerly: { name: formerly.name, declared: () => undefined } }),
    declared: () => ({ refused: issues }),
    references: () => NO_REFERENCES,
    look: () => {
      const error = terminal("InvalidSpec", message);
      return Promise.reject(isOfFields ? new WantingError(paths, error) : error);
    },
  };
}
