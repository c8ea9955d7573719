import { describe, expect, it } from "vitest";
import { begin, statusAt } from "../state/life.ts";
import { pausing, provisioning, restoring } from "./project-life.ts";
import { DEFAULT_SETTINGS, type Settings } from "../state/settings.ts";

const timings = {
  ...DEFAULT_SETTINGS.timings,
  unknownMs: 100,
  comingUpMs: 200,
  pausingMs: 30,
  restoringMs: 60,
};
const settings: Settings = { ...DEFAULT_SETTINGS, timings };

describe("lives of projects", () => {
  it.each([
    { phases: provisioning(settings), seen: ["UNKNOWN 0", "COMING_UP 100", "ACTIVE_HEALTHY 300"] },
    { phases: pausing(settings), seen: ["PAUSING 0", "INACTIVE 30"] },
    { phases: restoring(settings), seen: ["RESTORING 0", "ACTIVE_HEALTHY 60"] },
  ])("run through $seen", ({ phases, seen }) => {
    const life = begin<string>(0, phases);
    expect(life.steps.map(({ status, atMs }) => `${status} ${atMs}`)).toEqual(seen);
  });

  it("run faster by the speed", () => {
    const life = begin(0, provisioning({ ...settings, speed: 10 }));
    expect([statusAt(life, 29), statusAt(life, 30)]).toEqual(["COMING_UP", "ACTIVE_HEALTHY"]);
  });
});
