import { describe, expect, it } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import { Slots } from "./slots.ts";

const { signal } = new AbortController();
const WAIT = { waitMs: 1000, signal };

describe("slots", () => {
  it("are one for each group, and a few over all", async () => {
    const slots = new Slots(2, new ManualClock());
    const started: string[] = [];
    const take = async (group: string, name: string): Promise<Disposable | undefined> => {
      const slot = await slots.take(group, WAIT);
      if (slot !== undefined) started.push(name);
      return slot;
    };
    const first = await take("a", "a1");
    const second = take("a", "a2");
    const third = await take("b", "b1");
    const fourth = take("c", "c1");
    expect(started).toEqual(["a1", "b1"]);
    third?.[Symbol.dispose](); // of the group that waits longest another one is at work
    await fourth;
    expect(started).toEqual(["a1", "b1", "c1"]);
    first?.[Symbol.dispose]();
    await second;
    expect(started).toEqual(["a1", "b1", "c1", "a2"]);
  });

  it("are waited for no longer than was said", async () => {
    const clock = new ManualClock();
    const slots = new Slots(1, clock);
    const first = await slots.take("a", WAIT);
    const late = slots.take("b", WAIT);
    clock.advance(1000);
    expect(await late).toBeUndefined();
    first?.[Symbol.dispose]();
    const next = await slots.take("b", WAIT); // who gave up takes none
    expect(next).toBeDefined();
  });

  it("are not waited for any more by who was aborted", async () => {
    const slots = new Slots(1, new ManualClock());
    const controller = new AbortController();
    await slots.take("a", WAIT);
    const aborted = slots.take("b", { waitMs: 1000, signal: controller.signal });
    controller.abort();
    expect(await aborted).toBeUndefined();
  });
});
