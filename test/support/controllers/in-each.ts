import { afterEach, beforeEach } from "vitest";

/**
 * Something that each test of a file has for itself: opened before it, and disposed of after it.
 *
 * @param what for people, as "a life"
 * @param open puts what is to be disposed of on the stack
 * @returns gives it, within a test
 */
export function inEach<T>(what: string, open: (stack: AsyncDisposableStack) => Promise<T>): () => T {
  let standing: { readonly it: T; readonly stack: AsyncDisposableStack } | undefined;
  beforeEach(async () => {
    await using opening = new AsyncDisposableStack();
    const it = await open(opening);
    standing = { it, stack: opening.move() };
  });
  afterEach(() => standing?.stack.disposeAsync());
  return () => {
    if (standing === undefined) throw new Error(`there is ${what} in tests alone`);
    return standing.it;
  };
}
