import { isApiError } from "../../api/errors.ts";
import type { SharedRead } from "./shared-read.ts";

/**
 * Makes a write to the endpoint of a shared list. Where its failure does not prove that nothing happened, the list is read anew before anything
 * is decided on it; a success is the caller's to note, with `wrote`.
 */
export async function writing<T>(list: { wrote(): void }, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isApiError(error) || error.effect === "unknown") list.wrote();
    throw error;
  }
}

/**
 * As `writing`, where the answer tells nothing of the list: it is dropped, so that the next read shows what was written. Who may wait for writes that
 * are under way reads after this one.
 */
export async function writingUntold(
  list: Pick<SharedRead<unknown>, "wrote" | "underWay">,
  write: () => Promise<unknown>,
): Promise<void> {
  using _underWay = list.underWay();
  await writing(list, write);
  list.wrote();
}
