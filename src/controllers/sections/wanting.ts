import { causeChain } from "../../base/error-facts.ts";

/** Fields that a section could not be looked at without: what they are made of is not there, or holds nothing of use. */

const paths = new WeakMap<Error, string>();

/**
 * Reads what a field is made of, so that a failure tells of that field.
 *
 * @param path in the section, as `smtp.password`
 * @throws as `read` does
 */
export async function forField<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error) paths.set(error, path);
    throw error;
  }
}

/** The field that a look failed for, by its path in the spec; undefined: none is known. @param name of the section */
export function wantedBy(error: unknown, name: string): readonly string[] | undefined {
  for (const link of causeChain(error)) {
    const path = link instanceof Error ? paths.get(link) : undefined;
    if (path !== undefined) return [`spec.${name}.${path}`];
  }
  return undefined;
}
