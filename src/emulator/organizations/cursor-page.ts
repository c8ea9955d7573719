import type { z } from "zod";
import type { CursorLinks, pageQuery } from "../../api/contract/cursor-list.ts";

/** Pages of a list by cursor (facts.md §2, v2 lists). A cursor is a place in the order, so it holds also when its item is gone. */

/** An item with its place in the list. */
export interface Placed<T> {
  /** a uuid in lower case */
  readonly cursor: string;
  readonly item: T;
}

export interface CursorQuery {
  readonly page?: z.output<typeof pageQuery> | undefined;
  readonly filter?: Readonly<Record<string, string | boolean | undefined>> | undefined;
}

const DEFAULT_SIZE = 50;
/** After every place: what stands before it is the last page. */
const END = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The page that is asked for, and the paths of those around it. @param path of the list, without a query */
export function cursorPage<T>(
  placed: readonly Placed<T>[],
  path: string,
  { page = {}, filter = {} }: CursorQuery,
): { data: T[]; links: CursorLinks } {
  const all = placed.toSorted((a, b) => compare(a.cursor, b.cursor));
  const { size = DEFAULT_SIZE } = page;
  const [after, before] = [page.after?.toLowerCase(), page.before?.toLowerCase()];
  const here =
    before === undefined
      ? all.filter(({ cursor }) => after === undefined || cursor > after).slice(0, size)
      : all.filter(({ cursor }) => cursor < before).slice(-size);
  const link = (place: Readonly<Record<string, string>>): string => linkTo(path, { size, place, filter });
  const [first, last] = [here[0]?.cursor, here.at(-1)?.cursor];
  const hasPrevious = all.some(({ cursor }) => (first === undefined ? after !== undefined : cursor < first));
  const hasNext = all.some(({ cursor }) => (last === undefined ? before !== undefined : cursor > last));
  return {
    data: here.map(({ item }) => item),
    links: {
      first: link({}),
      prev: hasPrevious ? link({ before: first ?? END }) : null,
      next: hasNext ? link(last === undefined ? {} : { after: last }) : null,
      last: link({ before: END }),
    },
  };
}

function linkTo(
  path: string,
  {
    size,
    place,
    filter,
  }: {
    readonly size: number;
    readonly place: Readonly<Record<string, string>>;
    readonly filter: NonNullable<CursorQuery["filter"]>;
  },
): string {
  const query = new URLSearchParams({ "page[size]": String(size) });
  for (const [name, value] of Object.entries(place)) query.set(`page[${name}]`, value);
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(`filter[${name}]`, String(value));
  }
  return `${path}?${query.toString()}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
