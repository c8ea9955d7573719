import type { SectionEntry } from "../../resources/settings/status.ts";
import { digestOf } from "./memory.ts";
import type { Looked } from "./turn.ts";

/**
 * Whether what is declared was seen in force before, so that a difference is drift and no edit: the section of the spec and the ConfigMaps that it is made
 * of are the same. Secrets tell of themselves (inputs.ts). Pure.
 */
export function isInForce(
  entry: SectionEntry | undefined,
  { declared, look }: Pick<Looked, "declared" | "look">,
): boolean {
  return entry?.applied === declared && digestOf(entry.documents ?? []) === digestOf(look.documents ?? []);
}
