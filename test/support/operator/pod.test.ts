import { expect, it } from "vitest";
import { expand } from "./pod.ts";

it.each([
  { text: "$(A)", expanded: "one", why: "a reference" },
  { text: "x$(A),$(B)y", expanded: "xone,twoy", why: "several within a text" },
  { text: "$(C)", expanded: "$(C)", why: "what is not known stays" },
  { text: "$$(A)", expanded: "$(A)", why: "two dollar signs are one, and no reference follows" },
  { text: "$A ${A}", expanded: "$A ${A}", why: "this is no shell" },
])("expands $text as a node does: $why", ({ text, expanded }) => {
  const known = new Map([
    ["A", "one"],
    ["B", "two"],
  ]);
  expect(expand(text, known)).toBe(expanded);
});
