/** One page of a list by offset: its items, and how many there are in all (behaviour.md, OrgProjectItem: `pagination.count`). */
export interface OffsetPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** The largest page that the platform gives (facts.md §1, "org projects list"). */
const LARGEST_PAGE = 100;

/**
 * Every item of a list by offset, page by page as they are consumed.
 *
 * The server counts from the start of the list at each page, so an item may be missed or come twice when the list changes meanwhile. A
 * server that gives fewer than asked for, or says more than there is, still ends.
 *
 * @param fetch reads one page
 */
export async function* offsetItems<T>(
  fetch: (page: { readonly offset: number; readonly limit: number }) => Promise<OffsetPage<T>>,
  limit: number = LARGEST_PAGE,
): AsyncGenerator<T, void, undefined> {
  for (let offset = 0; ;) {
    const { items, total } = await fetch({ offset, limit });
    yield* items;
    offset += items.length;
    if (items.length === 0 || offset >= total) return;
  }
}
