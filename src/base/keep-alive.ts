/** The longest delay that setInterval takes, about 25 days: it is there to be there, not to fire. */
const LONGEST_DELAY_MS = 2_147_483_647;

/**
 * Keeps the process alive until it is disposed; use with `using`. For work that may wait on timers of Clock alone, which keep none alive:
 * a program that awaits nothing else would end in the middle of it.
 */
export function keepAlive(): Disposable {
  const handle = setInterval(() => undefined, LONGEST_DELAY_MS);
  return { [Symbol.dispose]: () => clearInterval(handle) };
}
