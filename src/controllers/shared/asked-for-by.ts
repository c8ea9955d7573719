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

/**
 * Paths of those members that a spec declares. Pure.
 *
 * @param defaults what a member is where nobody declares it: of one that is so, nothing tells whether somebody did
 */
export function declaredIn<Spec extends object>(
  spec: Spec,
  members: readonly (keyof Spec & string)[],
  defaults: Partial<Spec> = {},
): readonly string[] {
  const declared = members.filter((member) => spec[member] !== undefined && spec[member] !== defaults[member]);
  return declared.map((member) => `spec.${member}`);
}

/** What a name was given by: metadata.name where the spec has none. Pure. @param member of the spec that gives it */
export function nameFrom<Member extends string>(
  spec: { readonly [Name in Member]?: string | undefined },
  member: Member,
): string {
  return spec[member] === undefined ? "metadata.name" : `spec.${member}`;
}
