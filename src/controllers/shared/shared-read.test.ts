import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { SharedRead } from "./shared-read.ts";

const AGE_MS = 10_000;

/** A list whose reads the test answers, each with what it likes. */
function bench(): {
  readonly clock: ManualClock;
  readonly shared: SharedRead<string>;
  readonly reads: PromiseWithResolvers<string>[];
  readonly lanes: string[];
  readonly get: (maxAgeMs?: number, signal?: AbortSignal) => Promise<string>;
} {
  const clock = new ManualClock();
  const reads: PromiseWithResolvers<string>[] = [];
  const lanes: string[] = [];
  const shared = new SharedRead<string>(clock, (lane) => {
    const read = Promise.withResolvers<string>();
    reads.push(read);
    lanes.push(lane);
    return read.promise;
  });
  const get = (maxAgeMs = AGE_MS, signal = new AbortController().signal): Promise<string> =>
    shared.get(maxAgeMs, { lane: "change", signal });
  return { clock, shared, reads, lanes, get };
}

describe("SharedRead", () => {
  it("reads once for all who ask while the read is under way", async () => {
    const { reads, get } = bench();
    const asked = [get(), get(), get()];
    expect(reads).toHaveLength(1);
    reads[0]?.resolve("list");
    expect(await Promise.all(asked)).toEqual(["list", "list", "list"]);
  });

  it("keeps a list for as long as whoever asks accepts", async () => {
    const { clock, reads, get } = bench();
    const first = get();
    reads[0]?.resolve("old");
    await first;
    clock.advance(AGE_MS - 1);
    expect(await get()).toBe("old");
    clock.advance(1);
    const second = get();
    reads[1]?.resolve("new");
    expect(await second).toBe("new");
  });

  it("counts the age from the start of the read, since that is what it shows", async () => {
    const { clock, reads, get } = bench();
    const first = get();
    clock.advance(AGE_MS);
    reads[0]?.resolve("slow");
    await first;
    void get();
    expect(reads).toHaveLength(2);
  });

  it("reads live for who accepts no age, though a list is kept and another read is under way", async () => {
    const { reads, get } = bench();
    const first = get();
    reads[0]?.resolve("kept");
    await first;
    void get(0);
    void get(0);
    expect(reads).toHaveLength(3);
  });

  it("does not keep what began to be read before our last write", async () => {
    const { reads, shared, get } = bench();
    const before = get();
    shared.wrote();
    const after = get();
    expect(reads).toHaveLength(2);
    reads[1]?.resolve("after the write");
    reads[0]?.resolve("before the write");
    expect([await before, await after]).toEqual(["before the write", "after the write"]);
    expect(await get()).toBe("after the write");
  });

  it("reads anew for who asks for what was read after a moment, and once for all of them", async () => {
    const { reads, shared, get } = bench();
    const first = get();
    reads[0]?.resolve("before");
    await first;
    const options = { lane: "change", signal: new AbortController().signal, after: shared.mark() } as const;
    const asked = [shared.get(AGE_MS, options), shared.get(AGE_MS, options)];
    expect([await get(), reads.length]).toEqual(["before", 2]);
    shared.wrote((list) => `${list}, and written`);
    void shared.get(AGE_MS, options);
    expect(reads).toHaveLength(3);
    reads[1]?.resolve("after");
    expect(await Promise.all(asked)).toEqual(["after", "after"]);
  });

  describe("while writes are under way", () => {
    const { signal } = new AbortController();
    const afterWrites = { lane: "change", signal, afterWrites: true } as const;

    it("reads once, when none is any more, for all who may wait for that", async () => {
      const { reads, shared } = bench();
      const writes = [shared.underWay(), shared.underWay()];
      const asked = [shared.get(AGE_MS, afterWrites)];
      writes[0]?.[Symbol.dispose]();
      asked.push(shared.get(0, afterWrites));
      expect(reads).toHaveLength(0);
      shared.wrote();
      writes[1]?.[Symbol.dispose]();
      asked.push(shared.get(AGE_MS, afterWrites));
      expect(reads).toHaveLength(1);
      reads[0]?.resolve("list");
      expect(await Promise.all(asked)).toEqual(["list", "list", "list"]);
      expect(await shared.get(AGE_MS, afterWrites)).toBe("list");
    });

    it("reads at once for who may not wait, and answers with a list that is kept", async () => {
      const { reads, shared, get } = bench();
      const first = get();
      reads[0]?.resolve("kept");
      await first;
      using _write = shared.underWay();
      expect(await shared.get(AGE_MS, afterWrites)).toBe("kept");
      void get(0);
      expect(reads).toHaveLength(2);
    });

    it("waits no longer than a second, and reads again for who writes later than that", async () => {
      const { clock, reads, shared } = bench();
      const write = shared.underWay();
      const asked = shared.get(0, afterWrites);
      clock.advance(999);
      expect(reads).toHaveLength(0);
      clock.advance(1);
      expect([reads.length, clock.pendingTimers]).toEqual([1, 0]);
      reads[0]?.resolve("before the write");
      expect(await asked).toBe("before the write");
      shared.wrote();
      write[Symbol.dispose]();
      void shared.get(AGE_MS, afterWrites);
      expect(reads).toHaveLength(2);
    });

    it("reads in the most urgent lane of those who wait, and tells all of them where it fails", async () => {
      const { lanes, reads, shared } = bench();
      const write = shared.underWay();
      const asked = (["drift", "change", "sync"] as const).map((lane) => shared.get(0, { ...afterWrites, lane }));
      write[Symbol.dispose]();
      expect(lanes).toEqual(["change"]);
      reads[0]?.reject(new Error("no answer"));
      expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(Array(3).fill("rejected"));
    });
  });

  it("takes the answer of a write into the kept list", async () => {
    const { reads, shared, get } = bench();
    const first = get();
    reads[0]?.resolve("a");
    await first;
    shared.wrote((list) => `${list}b`);
    expect(await get()).toBe("ab");
    shared.wrote();
    void get();
    expect(reads).toHaveLength(2);
  });

  it("does not let a slow read take the place of one that began after it", async () => {
    const { clock, reads, get } = bench();
    const slow = get();
    clock.advance(1);
    const live = get(0);
    reads[1]?.resolve("newer");
    await live;
    reads[0]?.resolve("older");
    await slow;
    expect(await get()).toBe("newer");
  });

  it("keeps nothing of a read that failed, and tells everybody who waited for it", async () => {
    const { reads, get } = bench();
    const asked = [get(), get()];
    reads[0]?.reject(new Error("no answer"));
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = get();
    reads[1]?.resolve("list");
    expect(await again).toBe("list");
  });

  it("lets who is aborted go, and goes on for the others", async () => {
    const { reads, get } = bench();
    const gone = new AbortController();
    const leaving = get(AGE_MS, gone.signal);
    const staying = get();
    gone.abort(new Error("deadline"));
    await expect(leaving).rejects.toThrow("deadline");
    reads[0]?.resolve("list");
    expect(await staying).toBe("list");
  });

  it("reads in the lane of who asked first, and again for one that is more urgent, whom that may not hold up", async () => {
    const { shared, lanes, reads } = bench();
    const { signal } = new AbortController();
    const asked = (["drift", "change", "sync", "drift"] as const).map((lane) => shared.get(AGE_MS, { lane, signal }));
    expect(lanes).toEqual(["drift", "change"]);
    reads[1]?.resolve("list");
    expect(await Promise.all(asked.slice(1))).toEqual(["list", "list", "list"]);
  });
});

/** What may happen to a shared list. A read shows the remote side as it was when it began: the worst that is true. */
type Step =
  | { readonly kind: "get"; readonly maxAgeMs: number; readonly afterWrites: boolean }
  | { readonly kind: "answer"; readonly which: number }
  | { readonly kind: "write"; readonly told: boolean }
  | { readonly kind: "begin a write" }
  | { readonly kind: "end a write" }
  | { readonly kind: "pass"; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("get" as const), maxAgeMs: fc.constantFrom(0, 5, 10), afterWrites: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("begin a write" as const, "end a write" as const) }),
  fc.record({ kind: fc.constant("answer" as const), which: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant("write" as const), told: fc.boolean() }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 6 }) }),
);

it("never answers with anything older than was accepted, or than our own last write before the question", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = new ManualClock();
      let writes = 0;
      const open: (() => void)[] = [];
      const underWay: Disposable[] = [];
      const shared = new SharedRead<{ readonly atMs: number; readonly writes: number }>(clock, () => {
        const read = Promise.withResolvers<{ readonly atMs: number; readonly writes: number }>();
        const shown = { atMs: clock.monotonic(), writes };
        open.push(() => read.resolve(shown));
        return read.promise;
      });
      const promises: Promise<boolean>[] = [];
      for (const one of steps) {
        if (one.kind === "pass") clock.advance(one.ms);
        else if (one.kind === "answer") open.splice(one.which, 1)[0]?.();
        else if (one.kind === "begin a write") underWay.push(shared.underWay());
        else if (one.kind === "end a write") underWay.shift()?.[Symbol.dispose]();
        else if (one.kind === "write") {
          writes += 1;
          const now = writes;
          shared.wrote(one.told ? (list) => ({ ...list, writes: now }) : undefined);
        } else {
          const asked = { atMs: clock.monotonic(), writes };
          const { maxAgeMs, afterWrites } = one;
          const got = shared.get(maxAgeMs, { lane: "change", signal: new AbortController().signal, afterWrites });
          promises.push(got.then((list) => list.writes >= asked.writes && list.atMs >= asked.atMs - one.maxAgeMs));
        }
        await Promise.resolve(); // what was answered is taken in
        await Promise.resolve();
      }
      for (const write of underWay) write[Symbol.dispose]();
      for (const answer of open) answer();
      expect(await Promise.all(promises)).not.toContain(false);
    }),
    { numRuns: 500 },
  );
});
