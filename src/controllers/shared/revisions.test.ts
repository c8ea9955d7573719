import { describe, expect, it } from "vitest";
import { isOutdated, outdatedBy, type StandingRevision } from "./revisions.ts";

const stands = (uid: string, revision: string, asks = true): StandingRevision => ({
  name: `test/${uid}`,
  uid,
  revision,
  asks,
});
const seen = (uid: string, revision: string) => ({ name: `test/${uid}`, uid, revision });

describe("a function is outdated", () => {
  it.each([
    {
      why: "by a revision that it was not deployed with",
      was: [seen("a", "1")],
      now: [stands("a", "2")],
      by: ["test/a"],
    },
    { why: "by the first of an object", was: [], now: [stands("a", "1")], by: ["test/a"] },
    {
      why: "by the first of any, deployed before there were such records",
      was: undefined,
      now: [stands("a", "1")],
      by: ["test/a"],
    },
    {
      why: "by a lower one: revisions have no order",
      was: [seen("a", "9")],
      now: [stands("a", "10"), stands("b", "1")],
      by: ["test/a", "test/b"],
    },
    {
      why: "by those alone that differ",
      was: [seen("a", "1"), seen("b", "1")],
      now: [stands("a", "1"), stands("b", "2")],
      by: ["test/b"],
    },
    { why: "by none that it was deployed with", was: [seen("a", "1")], now: [stands("a", "1")], by: [] },
    { why: "by none that does not ask for it", was: [seen("a", "1")], now: [stands("a", "2", false)], by: [] },
    { why: "by none that is no more", was: [seen("a", "1")], now: [], by: [] },
    {
      why: "by one of the same name that is another object",
      was: [seen("old", "1")],
      now: [stands("a", "1")],
      by: ["test/a"],
    },
  ])("$why", ({ was, now, by }) => {
    expect(outdatedBy(was, now).map(({ name }) => name)).toEqual(by);
    expect(isOutdated(was, now)).toBe(by.length > 0);
  });
});
