import { describe, expect, it } from "vitest";
import { ApiError, type ApiFailure } from "../../api/errors.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { SharedRead } from "./shared-read.ts";
import { writing, writingUntold } from "./shared-write.ts";

const going = new AbortController().signal;
const failed = (failure: ApiFailure): ApiError => new ApiError("secrets.create", failure, { message: "no" });

/** How often the list is read for two looks of any age, with a write that fails between them. */
async function readsAround(error: unknown): Promise<number> {
  let reads = 0;
  const list = new SharedRead(new ManualClock(), () => Promise.resolve(++reads));
  await list.get(60_000, { lane: "change", signal: going });
  await expect(writing(list, () => Promise.reject(error))).rejects.toBe(error);
  await list.get(60_000, { lane: "change", signal: going });
  return reads;
}

describe("a write that fails", () => {
  it.each([
    { why: "its answer was lost", error: failed({ code: "CONNECTION_LOST" }), reads: 2 },
    {
      why: "the platform failed while it worked on it",
      error: failed({ code: "SERVER_ERROR", status: 500 }),
      reads: 2,
    },
    { why: "nothing tells what it did", error: new TypeError("x is not a function"), reads: 2 },
    {
      why: "it was refused, so that the list still holds",
      error: failed({ code: "BAD_REQUEST", status: 400 }),
      reads: 1,
    },
    { why: "it was never sent", error: failed({ code: "CONNECT_FAILED" }), reads: 1 },
  ])("makes $reads reads of the list, where $why", async ({ error, reads }) => {
    expect(await readsAround(error)).toBe(reads);
  });
});

describe("a write whose answer tells nothing of the list", () => {
  it("drops the list, and those who waited for it read what came of it", async () => {
    let reads = 0;
    const list = new SharedRead(new ManualClock(), () => Promise.resolve(++reads));
    const options = { lane: "change", signal: going, afterWrites: true } as const;
    await list.get(60_000, options);
    const answered = Promise.withResolvers<void>();
    const write = writingUntold(list, () => answered.promise);
    const waiting = list.get(0, options);
    answered.resolve();
    await write;
    expect([await waiting, await list.get(60_000, options)]).toEqual([2, 2]);
  });

  it("keeps nobody waiting who asks after its failure", async () => {
    let reads = 0;
    const list = new SharedRead(new ManualClock(), () => Promise.resolve(++reads));
    const error = failed({ code: "CONNECTION_LOST" });
    await expect(writingUntold(list, () => Promise.reject(error))).rejects.toBe(error);
    expect(await list.get(0, { lane: "change", signal: going, afterWrites: true })).toBe(1);
  });
});
