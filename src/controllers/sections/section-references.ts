/** Secrets and ConfigMaps of an object's namespace that a section is made of, by name. */
export interface SectionReferences {
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
}

export const NO_REFERENCES: SectionReferences = { secrets: [], configMaps: [] };
