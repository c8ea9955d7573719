import { expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { ABSENCE_LOOK_MS, Absences } from "./absences.ts";

function begin(): { readonly clock: ManualClock; readonly absences: Absences } {
  const clock = new ManualClock();
  return { clock, absences: new Absences(clock) };
}

it("believes two looks, some seconds apart", () => {
  const { clock, absences } = begin();
  expect(absences.missed("a", "branch x")).toBe(false);
  clock.advance(ABSENCE_LOOK_MS - 1);
  expect(absences.missed("a", "branch x")).toBe(false);
  clock.advance(1);
  expect(absences.missed("a", "branch x")).toBe(true);
});

it.each([
  { uid: "a", what: "branch x", believed: false, why: "it was found between" },
  { uid: "a", what: "branch y", believed: true, why: "something else was found" },
  { uid: "b", what: "branch x", believed: true, why: "another object found it" },
])("takes a look that found it for the end of its absence: $why", ({ uid, what, believed }) => {
  const { clock, absences } = begin();
  absences.missed("a", "branch x");
  clock.advance(ABSENCE_LOOK_MS);
  absences.found(uid, what);
  expect(absences.missed("a", "branch x")).toBe(believed);
});

it("believes at once what the platform has agreed to delete", () => {
  const { absences } = begin();
  absences.taken("a", "project x");
  expect(absences.missed("a", "project x")).toBe(true);
});

it("remembers nothing of what is found, nor of an object that is gone", () => {
  const { absences } = begin();
  for (const uid of ["a", "b"]) absences.missed(uid, "project x");
  absences.found("a", "project x");
  absences.forget("b");
  expect(absences.size).toBe(0);
});
