import { expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { Absences, RECENT_ABSENCE_MS } from "./absences.ts";
import { type Sought, soughtBranch, soughtKey } from "./sought.ts";

const SECOND_MS = 1000;
const X = soughtBranch({ ref: "ref-of-x", id: "x" });
const Y = soughtBranch({ ref: "ref-of-y", id: "y" });
const PROJECT: Sought = { kind: "project", ref: "x" };

function begin(): { readonly clock: ManualClock; readonly absences: Absences } {
  const clock = new ManualClock();
  return { clock, absences: new Absences(clock) };
}

it("counts from the first look that did not find it", () => {
  const { clock, absences } = begin();
  expect(absences.noteMissed("a", X)).toBe(0);
  clock.advance(SECOND_MS);
  expect(absences.noteMissed("a", X)).toBe(SECOND_MS);
  clock.advance(SECOND_MS);
  expect(absences.noteMissed("a", X)).toBe(2 * SECOND_MS);
});

it("counts from when the platform said so, whoever asked and when", () => {
  const { clock, absences } = begin();
  const saidAtMs = clock.monotonic();
  clock.advance(SECOND_MS);
  expect(absences.noteMissed("a", PROJECT, saidAtMs)).toBe(0);
  clock.advance(SECOND_MS);
  expect(absences.noteMissed("a", PROJECT, saidAtMs)).toBe(0);
  expect(absences.noteMissed("a", PROJECT, saidAtMs + SECOND_MS)).toBe(SECOND_MS);
});

it.each([
  { uid: "a", sought: X, absentMs: 0, why: "it was found between" },
  { uid: "a", sought: { ...X, ref: "" }, absentMs: 0, why: "its ref is forgotten" },
  { uid: "a", sought: Y, absentMs: SECOND_MS, why: "something else was found" },
  { uid: "b", sought: X, absentMs: SECOND_MS, why: "another object found it" },
])("takes a look that found it for the end of its absence: $why", ({ uid, sought, absentMs }) => {
  const { clock, absences } = begin();
  absences.noteMissed("a", X);
  clock.advance(SECOND_MS);
  absences.found(uid, sought);
  expect(absences.noteMissed("a", X)).toBe(absentMs);
});

it("believes at once what the platform has agreed to delete", () => {
  const { absences } = begin();
  absences.taken("a", PROJECT);
  expect(absences.noteMissed("a", PROJECT)).toBe(Infinity);
});

it("counts looks of what not every run looks for as long as they are recent", () => {
  const { clock, absences } = begin();
  expect(absences.noteMissedLately("a", X)).toBe(0);
  clock.advance(RECENT_ABSENCE_MS);
  expect(absences.noteMissedLately("a", X)).toBe(RECENT_ABSENCE_MS);
  clock.advance(RECENT_ABSENCE_MS);
  expect(absences.noteMissedLately("a", X)).toBe(2 * RECENT_ABSENCE_MS);
  clock.advance(RECENT_ABSENCE_MS + 1);
  expect(absences.noteMissedLately("a", X)).toBe(0);
});

it("counts a deletion of it as long as that is recent, however often it was looked for since", () => {
  const { clock, absences } = begin();
  absences.taken("a", X);
  clock.advance(RECENT_ABSENCE_MS);
  expect(absences.noteMissedLately("a", X)).toBe(Infinity);
  clock.advance(1);
  expect(absences.noteMissedLately("a", X)).toBe(0);
});

it("remembers nothing of what is found, nor of an object that is gone", () => {
  const { absences } = begin();
  for (const uid of ["a", "b"]) absences.noteMissed(uid, PROJECT);
  absences.found("a", PROJECT);
  absences.forget("b");
  expect(absences.size).toBe(0);
});

it("tells one thing from another", () => {
  const all: readonly Sought[] = [
    PROJECT,
    X,
    Y,
    soughtBranch({ ref: "x" }),
    { kind: "intended", what: "project", name: "x" },
    { kind: "intended", what: "branch", name: "x" },
    { kind: "function", ref: "x", slug: "y" },
    { kind: "secrets", ref: "x", names: ["y"] },
    { kind: "secrets", ref: "x", names: ["y", "z"] },
    { kind: "secrets", ref: "x", names: ["y, z"] },
    { kind: "actionRun", id: "x" },
    { kind: "request", verb: "merge", request: "x" },
    { kind: "hostname", hostname: "x" },
  ];
  expect(new Set(all.map(soughtKey)).size).toBe(all.length);
});
