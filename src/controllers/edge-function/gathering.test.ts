import { describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { GATHER_MS, Gathering, UNTIL_MADE_MS, type Wish } from "./gathering.ts";

const place = {};
const elsewhere = {};

function stage(): {
  clock: ManualClock;
  gathering: Gathering<Wish, string>;
  woken: string[];
  wish: (uid: string, stands?: boolean) => Wish;
} {
  const clock = new ManualClock();
  const woken: string[] = [];
  return {
    clock,
    gathering: new Gathering<Wish, string>(clock),
    woken,
    wish: (uid, stands = true) => ({ uid, stands: () => stands, wake: () => void woken.push(uid) }),
  };
}

const free = (due: boolean, outcome?: string): object => ({ kind: "free", due, outcome });

describe("gathering", () => {
  it("has the first one come back soon, and the others later than they are woken", () => {
    const { gathering, wish, clock } = stage();
    expect(gathering.leave(place, wish("a"))).toBe(GATHER_MS);
    expect(gathering.leave(place, wish("b"))).toBe(UNTIL_MADE_MS);
    expect(gathering.leave(elsewhere, wish("c"))).toBe(GATHER_MS);
    clock.advance(GATHER_MS - 1);
    expect(gathering.begin("a")).toEqual(free(false)); // woken by something else: it waits for what is left
    expect(gathering.leave(place, wish("a"))).toBe(1);
    clock.advance(1);
    expect(gathering.begin("a")).toEqual(free(true));
  });

  it("gives whoever comes back all wishes of its place that stand, and keeps their runs away until it is through", () => {
    const { gathering, wish, woken } = stage();
    for (const one of [wish("a"), wish("b"), wish("changed", false)]) gathering.leave(place, one);
    gathering.leave(elsewhere, wish("d"));
    gathering.begin("a");
    {
      using departure = gathering.depart(place);
      expect(departure.wishes.map(({ uid }) => uid)).toEqual(["b"]);
      expect(gathering.begin("b")).toEqual({ kind: "under way" });
      expect(gathering.begin("changed")).toEqual(free(false));
      for (const one of departure.wishes) departure.made(one, "made");
      expect(woken).toEqual([]);
    }
    expect(woken).toEqual(["b"]);
    expect(gathering.begin("b")).toEqual(free(false, "made"));
    expect(gathering.begin("b")).toEqual(free(false));
    expect(gathering.isAwaited(place)).toBe(false);
    expect(gathering.isAwaited(elsewhere)).toBe(true);
  });

  it("has no wish of an object whose run is under way", () => {
    const { gathering, wish } = stage();
    gathering.leave(place, wish("a"));
    gathering.leave(place, wish("b"));
    gathering.begin("b");
    using departure = gathering.depart(place);
    expect(departure.wishes.map(({ uid }) => uid)).toEqual(["a"]);
  });

  it("wakes all of them also where nothing came of it", () => {
    const { gathering, wish, woken } = stage();
    gathering.leave(place, wish("a"));
    expect(() => {
      using _departure = gathering.depart(place);
      throw new Error("no answer");
    }).toThrow("no answer");
    expect(woken).toEqual(["a"]);
    expect(gathering.begin("a")).toEqual(free(false));
  });

  it("waits anew once an object was settled, and knows nothing of one that is forgotten", () => {
    const { gathering, wish, clock } = stage();
    gathering.leave(place, wish("a"));
    clock.advance(GATHER_MS);
    gathering.settle("a");
    expect(gathering.begin("a")).toEqual(free(false));
    gathering.leave(place, wish("a"));
    expect([...gathering.uids()]).toEqual(["a"]);
    gathering.forget("a");
    expect([...gathering.uids()]).toEqual([]);
    expect(gathering.isAwaited(place)).toBe(false);
  });
});
