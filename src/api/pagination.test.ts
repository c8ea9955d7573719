import { expect, test } from "vitest";
import { offsetItems } from "./pagination.ts";

async function all(pages: AsyncIterable<number>): Promise<number[]> {
  const items: number[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

const list = Array.from({ length: 25 }, (_, index) => index);

test("gives every item, whatever the size of a page", async () => {
  for (const limit of [1, 7, 25, 100]) {
    const items = offsetItems(
      ({ offset, limit }) => Promise.resolve({ items: list.slice(offset, offset + limit), total: 25 }),
      limit,
    );
    expect(await all(items)).toEqual(list);
  }
});

test("reads no page before it is needed", async () => {
  const offsets: number[] = [];
  const items = offsetItems(({ offset, limit }) => {
    offsets.push(offset);
    return Promise.resolve({ items: list.slice(offset, offset + limit), total: 25 });
  }, 10);
  for await (const item of items) if (item === 12) break;
  expect(offsets).toEqual([0, 10]);
});

test("goes on where a server gives fewer than asked for, and ends where it gives none", async () => {
  const short = offsetItems(({ offset }) => Promise.resolve({ items: list.slice(offset, offset + 4), total: 25 }), 10);
  expect(await all(short)).toEqual(list);
  const wrong = offsetItems(
    ({ offset }) => Promise.resolve({ items: list.slice(offset, offset + 10), total: 1000 }),
    10,
  );
  expect(await all(wrong)).toEqual(list);
});

test("passes a failure on: half a list is never taken for the whole", async () => {
  const failing = offsetItems(
    ({ offset }) =>
      offset === 0 ? Promise.resolve({ items: list.slice(0, 10), total: 25 }) : Promise.reject(new Error("502")),
    10,
  );
  await expect(all(failing)).rejects.toThrow("502");
});
