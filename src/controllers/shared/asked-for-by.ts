import { followedBy } from "./followed-by.ts";

/** What of a manifest asked for a request that the platform refuses: its own words are of its own names, or of none. */

/**
 * The words of a refusal, and what asked for it. Pure.
 *
 * @param fields paths in the object; none adds nothing
 */
export function askedForBy(message: string, fields: readonly string[]): string {
  return fields.length === 0 ? message : followedBy(message, `asked for by ${fields.join(", ")}`);
}

/** Paths of those members that a spec declares. Pure. */
export function declaredIn<Spec extends object>(
  spec: Spec,
  members: readonly (keyof Spec & string)[],
): readonly string[] {
  return members.flatMap((member) => (spec[member] === undefined ? [] : [`spec.${member}`]));
}

/** What a name was given by: metadata.name where the spec has none. Pure. */
export function nameFrom({ name }: { readonly name?: string | undefined }): string {
  return name === undefined ? "metadata.name" : "spec.name";
}
