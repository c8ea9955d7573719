import { describe, expect, test } from "vitest";
import { z } from "zod";
import { contract, operations } from "./contract/contract.ts";
import type { Operation, Pagination } from "./contract/operation.ts";
import { isApiError } from "./errors.ts";
import { itemsOf, pagesOf } from "./pagination.ts";
import type { PagedList } from "./pagination.ts";

type Input = Readonly<Record<string, unknown>>;

const list = Array.from({ length: 25 }, (_, index) => index);
const operation: Operation = contract.organizations.listProjects;

/** A list whose pages a test makes; `asked` is what each was asked with. */
function paged(
  pagination: Pagination,
  page: (input: Input) => unknown,
): { readonly paged: PagedList; readonly asked: Input[] } {
  const asked: Input[] = [];
  const fetch = async (input: Input): Promise<unknown> => {
    asked.push(input);
    return page(input);
  };
  return { paged: { operation, pagination, fetch }, asked };
}

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const numberOf = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);

describe("a list by offset", () => {
  const byOffset = { by: "offset", items: "projects" } as const;
  const from =
    (total: number, most = 100) =>
    ({ offset, limit }: Input) => {
      const begin = numberOf(offset, 0);
      const projects = list.slice(begin, begin + Math.min(numberOf(limit, 100), most));
      return { projects, pagination: { count: total } };
    };

  test.each([1, 7, 25, 100])("gives every item in pages of %s", async (limit) => {
    const { paged: pages, asked } = paged(byOffset, from(25));
    expect(await all(itemsOf(pages, { slug: "acme", limit }))).toEqual(list);
    expect(asked.map(({ offset }) => offset ?? 0)).toEqual(
      Array.from({ length: Math.ceil(25 / limit) }, (_, n) => n * limit),
    );
    expect(asked.every(({ slug }) => slug === "acme")).toBe(true);
  });

  test("begins where the input says, and reads no page before it is needed", async () => {
    const { paged: pages, asked } = paged(byOffset, from(25));
    const seen: unknown[] = [];
    for await (const item of itemsOf(pages, { offset: 5, limit: 10 })) {
      seen.push(item);
      if (item === 16) break;
    }
    expect(seen).toEqual(list.slice(5, 17));
    expect(asked.map(({ offset }) => offset)).toEqual([5, 15]);
  });

  test("goes on where a server gives fewer than asked for, and ends where it gives none", async () => {
    expect(await all(itemsOf(paged(byOffset, from(25, 4)).paged, { limit: 10 }))).toEqual(list);
    expect(await all(itemsOf(paged(byOffset, from(1000)).paged, { limit: 10 }))).toEqual(list);
  });

  test("without a total ends with the first empty page", async () => {
    const { paged: pages, asked } = paged({ by: "offset" }, ({ offset }) =>
      list.slice(numberOf(offset, 0)).slice(0, 10),
    );
    expect(await all(itemsOf(pages, {}))).toEqual(list);
    expect(asked).toHaveLength(4);
  });
});

describe("a list by links", () => {
  const byLinks = { by: "links", items: "data" } as const;
  const next = (after: string): object => ({
    next: `/v2/organizations/acme/members?page%5Bsize%5D=2&page%5Bafter%5D=${after}`,
  });

  test("follows page[after] and keeps filter and size; a cursor before which it began is dropped", async () => {
    const { paged: pages, asked } = paged(byLinks, ({ page }) =>
      Reflect.get(Object(page), "after") === undefined
        ? { data: [1, 2], links: next("c1") }
        : { data: [3], links: { next: null } },
    );
    const filter = { username: "ann" };
    expect(await all(itemsOf(pages, { slug: "acme", filter, page: { size: 2, before: "c9" } }))).toEqual([1, 2, 3]);
    expect(asked[1]).toEqual({ slug: "acme", filter, page: { size: 2, after: "c1" } });
  });

  test.each([
    { links: { next: null }, why: "null" },
    { links: {}, why: "absent" },
    { links: { next: "" }, why: "empty" },
  ])("ends where next is $why", async ({ links }) => {
    expect(await all(itemsOf(paged(byLinks, () => ({ data: [1], links })).paged, {}))).toEqual([1]);
  });

  test("ends where next is the page itself", async () => {
    const { paged: pages, asked } = paged(byLinks, () => ({ data: [1], links: next("c1") }));
    expect(await all(itemsOf(pages, { page: { after: "c1" } }))).toEqual([1]);
    expect(asked).toHaveLength(1);
  });
});

describe("a list by cursor", () => {
  const byCursor = { by: "cursor", items: "data" } as const;
  const cursors: Readonly<Record<string, string | null>> = { "": "b", b: "c", c: null };

  test("hands the cursor of each answer to the next request", async () => {
    const { paged: pages, asked } = paged(byCursor, ({ cursor = "" }) => ({
      data: [cursor],
      cursor: cursors[String(cursor)],
    }));
    expect(await all(itemsOf(pages, { limit: "1" }))).toEqual(["", "b", "c"]);
    expect(asked).toEqual([{ limit: "1" }, { limit: "1", cursor: "b" }, { limit: "1", cursor: "c" }]);
  });
});

describe("a server that is wrong", () => {
  const failureOf = async (items: AsyncIterable<unknown>): Promise<string> => {
    const error: unknown = await all(items).catch((reason: unknown) => reason);
    return isApiError(error, "UNEXPECTED_RESPONSE") ? error.message : `no failure: ${String(error)}`;
  };

  test("and leads in a circle is told of, after each page was given once", async () => {
    const circle: Readonly<Record<string, string>> = { "": "b", b: "c", c: "b" };
    const { paged: pages, asked } = paged({ by: "cursor", items: "data" }, ({ cursor = "" }) => ({
      data: [cursor],
      cursor: circle[String(cursor)],
    }));
    expect(await failureOf(itemsOf(pages, {}))).toBe(
      "organizations.listProjects: the pages of the list go in a circle",
    );
    expect(asked).toHaveLength(3);
  });

  test("and names a next page without a cursor is told of: the rest is not left out in silence", async () => {
    const { paged: pages } = paged({ by: "links", items: "data" }, () => ({
      data: [1],
      links: { next: "/v2/members" },
    }));
    expect(await failureOf(itemsOf(pages, {}))).toBe(
      "organizations.listProjects: links.next: expected page[after] in its query",
    );
  });

  test("and fails in the middle: half a list is never taken for the whole", async () => {
    const { paged: pages } = paged({ by: "offset", items: "projects" }, ({ offset }) => {
      if (offset !== undefined) throw new Error("502");
      return { projects: [1], pagination: { count: 2 } };
    });
    await expect(all(itemsOf(pages, {}))).rejects.toThrow("502");
  });
});

test("pages come as the server gives them", async () => {
  const page = { projects: [1, 2], pagination: { count: 2 } };
  expect(await all(pagesOf(paged({ by: "offset", items: "projects" }, () => page).paged, {}))).toEqual([page]);
});

describe("what the contract says of pages", () => {
  const key = { offset: "offset", links: "page", cursor: "cursor" } as const;
  const lists = operations.filter(({ pagination }) => pagination !== undefined);

  test.each(lists.map((one) => [one.id, one] as const))("%s can be read on", (_, { pagination, query, success }) => {
    expect(pagination && Object.keys(query.shape)).toContain(pagination && key[pagination.by]);
    const schema = success.kind === "json" ? success.schema : undefined;
    const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    expect(pagination?.items === undefined || fields.includes(pagination.items)).toBe(true);
  });

  test("is said wherever a query has a place for it", () => {
    const could = operations.filter(({ query }) => Object.values(key).some((name) => name in query.shape));
    expect(could.map(({ id }) => id)).toEqual(lists.map(({ id }) => id));
  });
});
