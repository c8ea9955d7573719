import { describe, expect, it } from "vitest";
import { counted, mayBeMissed } from "../matrix/missed.ts";
import { growth } from "./growth.ts";
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
  memory: 80e6,
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
