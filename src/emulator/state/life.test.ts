import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { always, begin, destination, hold, type Phases, release, statusAt, stepAt } from "./life.ts";

type Status = "A" | "B" | "C" | "D";

const plan: Phases<Status> = [
  { status: "A", forMs: 100 },
  { status: "B", forMs: 50 },
  { status: "C", forMs: 0 },
];

describe("a life", () => {
  it.each([
    { atMs: 1000, status: "A", because: "it has just begun" },
    { atMs: 1099, status: "A", because: "a phase lasts its whole duration" },
    { atMs: 1100, status: "B", because: "the next phase begins at the end of the one before" },
    { atMs: 1150, status: "C", because: "durations add up" },
    { atMs: 99_999_999, status: "C", because: "the last phase lasts for ever" },
    { atMs: 0, status: "A", because: "a clock that stepped back finds the first phase" },
  ])("is $status at $atMs: $because", ({ atMs, status }) => {
    expect(statusAt(begin(1000, plan), atMs)).toBe(status);
  });

  it("knows since when it is what it is, and where it goes", () => {
    const life = begin(1000, plan);
    expect([stepAt(life, 1120).atMs, destination(life)]).toEqual([1100, "C"]);
  });

  it("stays for ever where it is held, and goes on through the rest once released", () => {
    const held = hold(begin(1000, plan), "B", 1000);
    expect(statusAt(held, 10_000_000)).toBe("B");
    const released = release(held, 5000);
    expect([statusAt(released, 4999), statusAt(released, 5000)]).toEqual(["B", "C"]);
  });

  it("that is let go before it comes to where it would be held is as if it had never been held", () => {
    const life = begin(1000, plan);
    const released = release(hold(life, "B", 1000), 1099);
    expect(released).toEqual(life);
    expect(release(hold(life, "C", 1000), 1120)).toEqual(life);
  });

  it("is not held in a status that lies behind it, nor in one that it never has", () => {
    const life = begin(1000, plan);
    expect(hold(life, "A", 1120)).toBe(life);
    expect(hold(life, "D", 1000)).toBe(life);
  });

  it("can be held where it ends, which changes nothing but that it is", () => {
    const held = hold(always<Status>(0, "D"), "D", 10);
    expect([statusAt(held, 99), statusAt(release(held, 100), 200)]).toEqual(["D", "D"]);
  });

  it("passes its phases in their order and skips none, whatever is held and released when", () => {
    const statuses = ["A", "B", "C", "D"] as const;
    const step = fc.record({
      afterMs: fc.nat(200),
      act: fc.constantFrom("hold", "release"),
      status: fc.constantFrom(...statuses),
    });
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 4, maxLength: 4 }),
        fc.array(step, { maxLength: 12 }),
        (durations, steps) => {
          const [first, ...rest] = statuses.map((status, index) => ({ status, forMs: durations[index] ?? 0 }));
          if (first === undefined) return;
          let nowMs = 0;
          let life = begin<Status>(nowMs, [first, ...rest]);
          let seen = 0;
          const look = (): void => {
            const index = statuses.indexOf(statusAt(life, nowMs));
            expect([seen, seen + 1]).toContain(index);
            seen = index;
          };
          for (const { afterMs, act, status } of steps) {
            for (const until = nowMs + afterMs; nowMs < until; nowMs += 1) look();
            look();
            life = act === "hold" ? hold(life, status, nowMs) : release(life, nowMs);
            look();
          }
          expect(statusAt(release(life, nowMs), nowMs + 10_000)).toBe("D");
        },
      ),
    );
  });
});
