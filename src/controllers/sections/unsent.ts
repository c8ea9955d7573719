import { causeChain } from "../../base/error-facts.ts";

/** Writes that look once more before they send anything. */

const unsent = new WeakSet<Error>();

/**
 * What a write looks at before it sends anything: where that fails, what was known of the section is so still.
 *
 * @throws as `look` does
 */
export async function beforeSending<T>(look: () => T | Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error) unsent.add(error);
    throw error;
  }
}

/** Whether a write failed before it sent anything. */
export function isUnsent(error: unknown): boolean {
  return causeChain(error).some((link) => link instanceof Error && unsent.has(link));
}
