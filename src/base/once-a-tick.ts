/** A reader that reads once for all who ask in the same tick, such as the gauges of one scrape: for what takes a walk through much. */
export function onceATick<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    if (known === undefined) {
      known = { value: read() };
      queueMicrotask(() => {
        known = undefined;
      });
    }
    return known.value;
  };
}
