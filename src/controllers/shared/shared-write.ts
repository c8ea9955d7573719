import { isApiError } from "../../api/errors.ts";

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
