import { describe, expect, it } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import type { Item } from "./item.ts";
import type { Taker } from "./ready-set.ts";
import { WorkQueue } from "./workqueue.ts";

const forever = new AbortController().signal;
const EDIT = { lane: "change", wasReady: true } as const;
const SYNC = { lane: "change" } as const;

/** A queue and its callers, who note what they got as `caller: key`. */
function queueOf(callers: Readonly<Record<string, Taker>>, maxRunningPerGroup = Infinity) {
  const queue = new WorkQueue({ clock: new ManualClock(), random: () => 0.5, meter: silentMeter, maxRunningPerGroup });
  queue.start();
  const items = new Map<string, Item>();
  const taken: string[] = [];
  for (const [caller, taker] of Object.entries(callers)) {
    void queue.next(forever, taker).then((item) => {
      items.set(item.key.name, item);
      taken.push(`${caller}: ${item.key.name}`);
    });
  }
  const add = (name: string, wish: typeof EDIT | typeof SYNC, group = "shop"): void =>
    queue.add({ kind: "Project", namespace: "ns", name }, { ...wish, group });
  const done = (name: string): void => {
    const item = items.get(name);
    if (item !== undefined) queue.done(item);
  };
  const settled = async (): Promise<readonly string[]> => {
    await Promise.resolve();
    return taken;
  };
  return { add, done, settled };
}

describe("edits", () => {
  it("go to callers who take nothing else while there is one, and then to any", async () => {
    const { add, settled } = queueOf({ any: "general", edits: "reserved" });
    add("first", EDIT);
    add("second", EDIT);
    expect(await settled()).toEqual(["edits: first", "any: second"]);
  });

  it("are all that such callers get", async () => {
    const { add, settled } = queueOf({ edits: "reserved" });
    add("new", SYNC);
    expect(await settled()).toEqual([]);
    add("edited", EDIT);
    expect(await settled()).toEqual(["edits: edited"]);
  });

  it("of a group run however many first syncs of it do, by callers who take nothing else", async () => {
    const { add, done, settled } = queueOf({ a: "general", b: "general", c: "reserved", d: "reserved" }, 1);
    add("new 1", SYNC);
    add("new 2", SYNC);
    add("edited 1", EDIT);
    add("edited 2", EDIT);
    expect(await settled()).toEqual(["a: new 1", "c: edited 1"]);
    done("edited 1");
    expect((await settled()).at(-1)).toBe("d: edited 2");
    done("new 1");
    expect((await settled()).at(-1)).toBe("b: new 2");
  });

  it("of a group leave the other groups the callers who take all, whoever runs the edits", async () => {
    const { add, done, settled } = queueOf({ a: "general", b: "general", c: "reserved" }, 1);
    add("theirs", EDIT, "other");
    add("edited", EDIT);
    expect(await settled()).toEqual(["c: theirs", "a: edited"]);
    done("theirs");
    add("new", SYNC);
    expect(await settled()).toEqual(["c: theirs", "a: edited"]);
    add("third", SYNC, "third");
    expect((await settled()).at(-1)).toBe("b: third");
  });
});
