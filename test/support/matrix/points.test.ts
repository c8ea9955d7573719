import { describe, expect, it } from "vitest";
import { nameOf, pointsOf, type Recording } from "./points.ts";

/** Which points the matrix has, of recordings that were none. */

const READ = "GET /v1/projects/*";
const nothing: Recording = { found: [], fill: [], update: [], empty: [], remove: [] };

function reading(times: number): Recording {
  return { ...nothing, fill: Array.from({ length: times }, () => READ) };
}

/** Each with whether all families came to it. */
function points(...recordings: readonly Recording[]): Readonly<Record<string, boolean>> {
  const all = pointsOf({ plain: recordings, full: recordings.map(() => nothing) });
  return Object.fromEntries(
    all.filter(({ phase }) => phase === "before").map((point) => [nameOf(point), point.isCommon]),
  );
}

describe("points of the matrix", () => {
  it("are what three families in four came to, and certain is what all came to", () => {
    expect(points(reading(1), reading(2), reading(2), reading(3))).toEqual({
      [`fill: before ${READ} #1 (plain)`]: true,
      [`fill: before ${READ} #2 (plain)`]: false,
    });
  });

  it("are no fewer where one family more was recorded that came to less", () => {
    const four = [reading(2), reading(2), reading(2), reading(2)];
    expect(Object.keys(points(...four, reading(0)))).toEqual(Object.keys(points(...four)));
  });

  it("are before the request leaves, after its effect and after its answer", () => {
    const phases = pointsOf({ plain: [reading(1)], full: [nothing] }).map(({ phase }) => phase);
    expect(phases).toEqual(["before", "after", "answered"]);
  });
});
