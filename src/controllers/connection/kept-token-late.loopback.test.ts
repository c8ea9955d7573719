import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type KeptTokenBench, keptTokenBench, outcome } from "../../../test/support/controllers/kept-token-bench.ts";

/** What arrives of a former leader when the next one has begun. */

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;

let bench: KeptTokenBench;

beforeEach(async () => {
  bench = await keptTokenBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("what a former leader stores late", () => {
  /** A process whose exchange is over, and which stores what came of it when it is let. */
  async function storing(seed: string) {
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const former = bench.processOf("one", seed, (own) => ({
      store: async (...args) => {
        reached.resolve();
        await go.promise;
        await own.store(...args);
      },
    }));
    const stored = outcome(former);
    await reached.promise;
    return async (): Promise<void> => {
      go.resolve();
      expect(await stored).toBe("works");
    };
  }

  it("is no consent that was taken back when the next one has sent what it replaces", async () => {
    const seed = await bench.consent();
    const store = await storing(seed);
    expect(await outcome(bench.processOf("two", seed))).toBe("refused, lost");
    await store();
    expect(await outcome(bench.processOf("three", seed))).toBe("refused, lost");
    expect(await outcome(bench.processOf("four", seed))).toBe("refused, lost");
  });

  it("is what the next one uses, though it had read an older one before", async () => {
    const seed = await bench.consent();
    expect(await outcome(bench.processOf("zero", seed))).toBe("works");
    bench.under.clock.advance(HOUR_MS);
    const store = await storing(seed);
    let first = true;
    const next = bench.processOf("two", seed, (own) => ({
      begin: async (...args) => {
        if (first) await store();
        first = false;
        return own.begin(...args);
      },
    }));
    expect(await outcome(next)).toBe("unstored");
    expect(await outcome(next)).toBe("works");
    expect(await bench.under.control.oauth.grants()).toHaveLength(1);
  });

  it("does not come over what the next one has recorded meanwhile", async () => {
    const [one, two] = [bench.tokenOf("seed", "one"), bench.tokenOf("seed", "two")];
    await one.begin("token", never);
    const arrived = bench.kept.server.holdWrite();
    const late = one.store("replaced", never);
    await arrived.reached;
    expect(await two.begin("token", never)).toBe(true);
    arrived.release();
    await late;
    expect(await bench.tokenOf("seed", "three").begin("replaced", never)).toBe(true);
  });
});
