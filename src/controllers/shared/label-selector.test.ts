import { describe, expect, it } from "vitest";
import { type LabelSelector, matchesSelector } from "./label-selector.ts";

const labels = { team: "shop", stage: "prod" };

describe("matchesSelector", () => {
  it.each<{ readonly why: string; readonly selector: LabelSelector; readonly matches: boolean }>([
    { why: "an empty selector selects everything", selector: {}, matches: true },
    { why: "a label that is there", selector: { matchLabels: { team: "shop" } }, matches: true },
    { why: "every label must be there", selector: { matchLabels: { team: "shop", stage: "test" } }, matches: false },
    { why: "a label that is missing", selector: { matchLabels: { owner: "me" } }, matches: false },
    {
      why: "one of the values",
      selector: { matchExpressions: [{ key: "stage", operator: "In", values: ["test", "prod"] }] },
      matches: true,
    },
    {
      why: "none of the values",
      selector: { matchExpressions: [{ key: "stage", operator: "In", values: ["test"] }] },
      matches: false,
    },
    {
      why: "In needs the label",
      selector: { matchExpressions: [{ key: "owner", operator: "In", values: ["me"] }] },
      matches: false,
    },
    {
      why: "NotIn is content without the label",
      selector: { matchExpressions: [{ key: "owner", operator: "NotIn", values: ["me"] }] },
      matches: true,
    },
    {
      why: "NotIn refuses the value",
      selector: { matchExpressions: [{ key: "stage", operator: "NotIn", values: ["prod"] }] },
      matches: false,
    },
    { why: "whatever its value", selector: { matchExpressions: [{ key: "team", operator: "Exists" }] }, matches: true },
    {
      why: "the label may not be there",
      selector: { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] },
      matches: false,
    },
    {
      why: "labels and expressions together",
      selector: { matchLabels: { team: "shop" }, matchExpressions: [{ key: "stage", operator: "DoesNotExist" }] },
      matches: false,
    },
    {
      why: "In without values is satisfied by nothing",
      selector: { matchExpressions: [{ key: "team", operator: "In" }] },
      matches: false,
    },
    {
      why: "a label that every object of JavaScript has",
      selector: { matchLabels: { constructor: "x" } },
      matches: false,
    },
  ])("is $matches: $why", ({ selector, matches }) => {
    expect(matchesSelector(selector, labels)).toBe(matches);
  });

  it("does not take what objects of JavaScript inherit for labels", () => {
    expect(matchesSelector({ matchExpressions: [{ key: "constructor", operator: "Exists" }] }, labels)).toBe(false);
    expect(matchesSelector({ matchExpressions: [{ key: "toString", operator: "DoesNotExist" }] }, labels)).toBe(true);
  });
});
