import { isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";

/** Writes of which it is known that nothing arrived: they look once more before they send anything, or are one request. */

const unsent = new WeakSet<Error>();
const inVain = new WeakSet<Error>();

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

/**
 * The one request of a write, of which nothing arrived where it certainly came to nothing, whatever for.
 *
 * @throws as `send` does
 */
export async function sendingOnce<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const failure = causeChain(error).find((link) => isApiError(link));
    if (error instanceof Error && failure?.effect === "none") inVain.add(error);
    throw error;
  }
}

/** Whether a write failed before it sent anything. */
export function isUnsent(error: unknown): boolean {
  return causeChain(error).some((link) => link instanceof Error && unsent.has(link));
}

/** Whether all that a write sent certainly came to nothing. */
export function wasInVain(error: unknown): boolean {
  return causeChain(error).some((link) => link instanceof Error && inVain.has(link));
}
