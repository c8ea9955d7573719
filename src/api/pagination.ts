import { z } from "zod";
import type { Operation, Pagination } from "./contract/operation.ts";
import { ApiError } from "./errors.ts";
import type { RawInput } from "./request.ts";

/**
 * Lists that come in pages, read on as the contract says (`pagination` of an operation). Each page is a call of its own, with budget,
 * repetitions and deadline of its own; none is read before it is needed.
 *
 * By offset the server counts from the start of the list at each page, so an item may be missed or come twice when the list changes
 * meanwhile. A failure is passed on: half a list is never taken for the whole.
 */

/** A list operation, and how one page of it is read. */
export interface PagedList {
  readonly operation: Operation;
  readonly pagination: Pagination;
  readonly fetch: (input: RawInput) => Promise<unknown>;
}

/** Every page, as the server gives it, from where the input says. */
export async function* pagesOf(list: PagedList, input: RawInput): AsyncGenerator<unknown, void, undefined> {
  const visited = new Set<string>();
  for (let next: RawInput | undefined = input; next !== undefined;) {
    const page = await list.fetch(next);
    yield page;
    next = inputOfNext(list, next, page);
    if (next !== undefined) refuseCircle(list, next, visited);
  }
}

/** Every item of every page. */
export async function* itemsOf(list: PagedList, input: RawInput): AsyncGenerator<unknown, void, undefined> {
  for await (const page of pagesOf(list, input)) yield* items(list.pagination, page);
}

/** What asks for the page after `page`; undefined when that was the last one. */
function inputOfNext({ operation, pagination }: PagedList, input: RawInput, page: unknown): RawInput | undefined {
  switch (pagination.by) {
    case "offset": {
      const here = items(pagination, page).length;
      const offset = offsetSchema.parse(input["offset"]) + here;
      return here === 0 || offset >= totalOf(page) ? undefined : { ...input, offset };
    }
    case "links": {
      const { size, after } = pageSchema.parse(input["page"]);
      const next = afterOf(operation, page);
      return isEnd(next, after)
        ? undefined
        : { ...input, page: { ...(size === undefined ? {} : { size }), after: next } };
    }
    case "cursor": {
      const next = cursorSchema.parse(page).cursor;
      return isEnd(next, input["cursor"]) ? undefined : { ...input, cursor: next };
    }
    default:
      return pagination.by satisfies never;
  }
}

const offsetSchema = z.number().default(0);
const pageSchema = z.object({ size: z.number().optional(), after: z.string().optional() }).default({});
const cursorSchema = z.object({ cursor: z.string().nullish() });
const linksSchema = z.object({ links: z.object({ next: z.string().nullish() }) });
const totalSchema = z.object({ pagination: z.object({ count: z.number() }) });

/** A server that names the cursor of the page itself has no other page. */
function isEnd(next: string | null | undefined, current: unknown): boolean {
  return next === undefined || next === null || next === "" || next === current;
}

/** How many items there are in all, where the answer tells; a server that says more than there is still ends, with an empty page. */
function totalOf(page: unknown): number {
  const total = totalSchema.safeParse(page);
  return total.success ? total.data.pagination.count : Infinity;
}

/** The cursor in `links.next`, a relative path. */
function afterOf(operation: Operation, page: unknown): string | undefined {
  const { next } = linksSchema.parse(page).links;
  if (next === undefined || next === null || next === "") return undefined;
  const query = next.includes("?") ? next.slice(next.indexOf("?")) : "";
  const after = new URLSearchParams(query).get("page[after]");
  if (after === null) throw unexpected(operation, "links.next: expected page[after] in its query");
  return after;
}

/** Cursors that come back would be read for ever; offsets only grow. */
function refuseCircle({ operation, pagination }: PagedList, next: RawInput, visited: Set<string>): void {
  if (pagination.by === "offset") return;
  const key = JSON.stringify([next["page"], next["cursor"]]);
  if (visited.has(key)) throw unexpected(operation, "the pages of the list go in a circle");
  visited.add(key);
}

function items({ items: field }: Pagination, page: unknown): readonly unknown[] {
  const found: unknown = field === undefined ? page : Reflect.get(Object(page), field);
  return Array.isArray(found) ? found : [];
}

function unexpected({ id }: Operation, detail: string): ApiError {
  return new ApiError(id, { code: "UNEXPECTED_RESPONSE" }, { message: `${id}: ${detail}` });
}
