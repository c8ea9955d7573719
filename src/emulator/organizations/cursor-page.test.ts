import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cursorPage, type CursorQuery, type Placed } from "./cursor-page.ts";

const cursor = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
const listOf = (indexes: readonly number[]): readonly Placed<number>[] =>
  indexes.map((item) => ({ cursor: cursor(item), item }));

/** The query of a link, as a server reads it. */
function queryOf(link: string): CursorQuery {
  const query = new URL(link, "http://emulator.test").searchParams;
  const [size, after, before] = ["size", "after", "before"].map((name) => query.get(`page[${name}]`) ?? undefined);
  return { page: { size: Number(size), after, before } };
}

/** Reads on by one of the links until there is none. */
function walked(list: readonly Placed<number>[], start: CursorQuery, by: "next" | "prev"): readonly number[][] {
  const pages: number[][] = [];
  for (let query: CursorQuery | undefined = start; query !== undefined;) {
    const page: ReturnType<typeof cursorPage<number>> = cursorPage(list, "/v2/x", query);
    pages.push(page.data);
    const link: string | null | undefined = page.links[by];
    query = link === null || link === undefined ? undefined : queryOf(link);
  }
  return pages;
}

describe("pages by cursor", () => {
  it("cover the list once, forwards and backwards, whatever its order and the size of a page", () => {
    const lists = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 30 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 40 }), (indexes, size) => {
        const list = listOf(indexes);
        const inOrder = indexes.toSorted((a, b) => a - b);
        expect(walked(list, { page: { size } }, "next").flat()).toEqual(inOrder);
        const last = cursorPage(list, "/v2/x", { page: { size } }).links.last ?? "";
        expect(walked(list, queryOf(last), "prev").toReversed().flat()).toEqual(inOrder);
        expect(walked(list, { page: { size } }, "next").every(({ length }) => length <= size)).toBe(true);
      }),
    );
  });

  it.each([
    { query: {}, data: [1, 2, 3], prev: false, next: false, because: "all fit" },
    { query: { page: { size: 2 } }, data: [1, 2], prev: false, next: true, because: "the first page has none before" },
    {
      query: { page: { size: 2, after: cursor(2) } },
      data: [3],
      prev: true,
      next: false,
      because: "it is the last one",
    },
    { query: { page: { after: cursor(9) } }, data: [], prev: true, next: false, because: "nothing comes after" },
    { query: { page: { before: cursor(0) } }, data: [], prev: false, next: true, because: "nothing comes before" },
    { query: { page: { size: 1, before: cursor(3) } }, data: [2], prev: true, next: true, because: "it is in between" },
    {
      query: { page: { after: cursor(1).toUpperCase() } },
      data: [2, 3],
      prev: true,
      next: false,
      because: "case does not matter",
    },
  ])("have $data for $query: $because", ({ query, data, prev, next }) => {
    const page = cursorPage(listOf([3, 1, 2]), "/v2/x", query);
    expect([page.data, page.links.prev !== null, page.links.next !== null]).toEqual([data, prev, next]);
  });

  it("go on after an item that was removed meanwhile", () => {
    expect(cursorPage(listOf([1, 3]), "/v2/x", { page: { after: cursor(2) } }).data).toEqual([3]);
  });

  it("are linked by relative paths that keep size and filter", () => {
    const { links } = cursorPage(listOf([1, 2]), "/v2/x", {
      page: { size: 1 },
      filter: { name: "a b", no: undefined },
    });
    expect(links).toEqual({
      first: "/v2/x?page%5Bsize%5D=1&filter%5Bname%5D=a+b",
      prev: null,
      next: `/v2/x?page%5Bsize%5D=1&page%5Bafter%5D=${cursor(1)}&filter%5Bname%5D=a+b`,
      last: "/v2/x?page%5Bsize%5D=1&page%5Bbefore%5D=ffffffff-ffff-ffff-ffff-ffffffffffff&filter%5Bname%5D=a+b",
    });
  });
});
