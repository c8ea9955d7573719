import { describe, expect, it } from "vitest";
import { KeyedMutex } from "./keyed-mutex.ts";

const going = new AbortController().signal;

describe("a keyed mutex", () => {
  it("does the work of one key one after the other, in order of arrival, well or not, and other keys' meanwhile", async () => {
    const mutex = new KeyedMutex();
    const told: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = mutex.runExclusive("a", going, async () => {
      told.push("a1 begins");
      await gate.promise;
      throw new Error("a1 fails");
    });
    const second = mutex.runExclusive("a", going, async () => told.push("a2"));
    const third = mutex.runExclusive("a", going, async () => told.push("a3"));
    await mutex.runExclusive("b", going, async () => told.push("b"));
    expect(told).toEqual(["a1 begins", "b"]);
    gate.resolve();
    await expect(first).rejects.toThrow("a1 fails");
    await Promise.all([second, third]);
    expect(told).toEqual(["a1 begins", "b", "a2", "a3"]);
  });

  it("lets who gives up waiting go, and nobody overtakes the one at work for it", async () => {
    const mutex = new KeyedMutex();
    const gate = Promise.withResolvers<void>();
    const told: string[] = [];
    const first = mutex.runExclusive("a", going, async () => {
      await gate.promise;
      told.push("first");
    });
    const leaving = new AbortController();
    const left = mutex.runExclusive("a", leaving.signal, async () => told.push("never"));
    const last = mutex.runExclusive("a", going, async () => told.push("last"));
    const reason = new Error("stopped");
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect(told).toEqual([]);
    gate.resolve();
    await Promise.all([first, last]);
    expect(told).toEqual(["first", "last"]);
  });

  it("remembers no key that nobody works on", async () => {
    const mutex = new KeyedMutex();
    await mutex.runExclusive("a", going, async () => undefined);
    await Promise.resolve();
    expect(mutex.size).toBe(0);
  });
});
