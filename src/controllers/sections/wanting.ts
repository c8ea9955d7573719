/** Fields that a section could not be looked at with: what they are made of is not there, holds nothing of use, or no platform takes what they hold. */

/** Fields that keep a section from being looked at; its cause says why, and is what is told. */
export class WantingError extends Error {
  readonly code = "WANTING";
  /** in the section, as `smtp.password` */
  readonly paths: readonly string[];

  constructor(paths: readonly string[], cause: unknown) {
    super(`nothing is to be made of ${paths.join(", ")}`, { cause });
    this.name = "WantingError";
    this.paths = paths;
  }
}

/**
 * Reads what a field is made of, so that a failure tells of that field.
 *
 * @param path in the section, as `smtp.password`
 * @throws WantingError with what `read` throws as its cause
 */
export async function forField<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new WantingError([path], error);
  }
}

/** What a look failed for, and the fields for which it did, by their paths in the section; undefined: none is known. */
export function reasonOfLook(thrown: unknown): {
  readonly error: unknown;
  readonly wanting: readonly string[] | undefined;
} {
  return thrown instanceof WantingError
    ? { error: thrown.cause, wanting: thrown.paths }
    : { error: thrown, wanting: undefined };
}
