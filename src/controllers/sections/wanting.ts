/** Fields that a section could not be looked at without: what they are made of is not there, or holds nothing of use. */

/** A field that cannot be read; its cause says why, and is what is told. */
export class WantingError extends Error {
  readonly code = "WANTING";
  /** in the section, as `smtp.password` */
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`what ${path} is made of cannot be read`, { cause });
    this.name = "WantingError";
    this.path = path;
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
    throw new WantingError(path, error);
  }
}

/** What a look failed for, and the field for which it did, by its path in the section; undefined: none is known. */
export function reasonOfLook(thrown: unknown): { readonly error: unknown; readonly wanting: string | undefined } {
  return thrown instanceof WantingError
    ? { error: thrown.cause, wanting: thrown.path }
    : { error: thrown, wanting: undefined };
}
