import { describe, expect, it } from "vitest";
import { counted, mayBeMissed } from "../matrix/missed.ts";
import { growth, growthFaults } from "./growth.ts";
import { costFaults, type Rest } from "./rest.ts";
import { seriesOf } from "./series.ts";

/** What the soak and the matrix hold a run to, on numbers of runs that were none. */

const quiet: Rest = {
  objects: 6,
  stalled: 0,
  parts: 0,
  runs: 6,
  cluster: 7,
  platform: 7,
  steps: 17,
  timers: 3,
  series: 600,
  mostSeries: 2400,
  strangers: [],
  cpuMs: 40,
  kept: 200_000,
  memory: 80e6,
  code: 20e6,
};

describe("a rest", () => {
  it("is one where each object is looked at once", () => expect(costFaults(quiet)).toEqual([]));

  it("is one where what a Stalled object misses is looked for more often", () => {
    expect(costFaults({ ...quiet, stalled: 1, runs: 13 })).toEqual([]);
  });

  it.each<{ what: string; rest: Partial<Rest> }>([
    { what: "an object is looked at again and again", rest: { runs: 13 } },
    { what: "a look asks the apiserver too much", rest: { cluster: 24 } },
    { what: "a look asks the platform too much", rest: { platform: 18 } },
    { what: "a look at its parts asks the platform too much", rest: { parts: 2, platform: 22 } },
    { what: "something polls", rest: { steps: 60 } },
    { what: "timers are left", rest: { timers: 11 } },
    { what: "there are more series than labels have values", rest: { series: 2401 } },
    { what: "a series is of something that comes and goes", rest: { strangers: ["baas_objects kind"] } },
  ])("is none where $what", ({ rest }) => expect(costFaults({ ...quiet, ...rest })).toHaveLength(1));
});

describe("growth", () => {
  it("is nothing where rounds differ and none is left behind", () => {
    expect(growth([60, 80, 90, 95, 91, 96, 90, 94, 92])).toBeLessThan(1);
  });

  it("is what each round leaves, whatever a single one holds", () => {
    expect(growth([60, 80, 90, 93, 140, 99, 102, 105, 108])).toBe(3);
  });

  it("is nothing of what was measured once", () => expect(growth([60])).toBe(0));
});

describe("a soak", () => {
  /** What each rest took for a run, milliseconds, and had in use, MB, in a soak of ten hours (docs/testing.md). */
  const measured = [
    [9.1, 98.4],
    [9, 98.4],
    [8.4, 99.2],
    [8.9, 99.4],
    [9.1, 99.3],
    [8, 98.2],
    [13, 99.5],
    [8.5, 99.4],
    [7.2, 99.5],
    [6.8, 99.6],
    [24.4, 100.1],
    [8, 99.6],
  ] as const;
  const rests = (leak: Partial<Pick<Rest, "kept" | "memory" | "cpuMs">>): readonly Rest[] =>
    measured.map(([ms, mb], round) => ({
      ...quiet,
      kept: quiet.kept + round * (leak.kept ?? 0),
      memory: mb * 2 ** 20 + round * (leak.memory ?? 0),
      cpuMs: quiet.runs * (ms + round * (leak.cpuMs ?? 0)),
    }));

  it("is flat where it was measured to be", () => expect(growthFaults(rests({}))).toEqual([]));

  it.each([
    { what: "bytes", leak: { memory: 0.35 * 2 ** 20 } },
    { what: "objects", leak: { kept: 1600 } },
    { what: "more to do in each run", leak: { cpuMs: 1.5 } },
  ])("is not flat where each round leaves $what behind", ({ leak }) => {
    expect(growthFaults(rests(leak))).toHaveLength(1);
  });

  it("says nothing of few rounds", () => expect(growthFaults(rests({ memory: 2 ** 20 }).slice(0, 9))).toEqual([]));
});

describe("series", () => {
  const text = (label: string): string =>
    ["# HELP baas_objects objects", "# TYPE baas_objects gauge", `baas_objects{kind="${label}"} 1`, ""].join("\n");

  it("are of what is in a closed set, and as many as there are values", () => {
    expect(seriesOf(text("Project"))).toEqual({ count: 1, most: expect.any(Number), strangers: [] });
    const runs = text("ReferencedSecret")
      .replaceAll("baas_objects", "baas_reconcile_total")
      .replace("gauge", "counter");
    expect(seriesOf(runs).strangers).toEqual([]);
    expect(seriesOf(text("Project")).most - seriesOf("").most).toBe(6);
  });

  it("are named that are not", () => expect(seriesOf(text("shop")).strangers).toEqual(['baas_objects kind="shop"']));
});

describe("a point of the matrix that did not come", () => {
  it("may stay away if it is an event, not the first of its name, or not every family came to it", () => {
    expect(mayBeMissed({ label: "POST /v1/projects", nth: 1, isCommon: false })).toBe(true);
    expect(mayBeMissed({ label: "POST events.k8s.io/events", nth: 1, isCommon: true })).toBe(true);
    expect(mayBeMissed({ label: "GET /v1/projects/*", nth: 2, isCommon: true })).toBe(true);
    expect(mayBeMissed({ label: "GET /v1/projects/*/config/realtime", nth: 1, isCommon: true })).toBe(true);
    expect(mayBeMissed({ label: "POST /v1/projects", nth: 1, isCommon: true })).toBe(false);
  });

  it("is counted by its request", () => expect(counted([])).toBe("none"));
});
