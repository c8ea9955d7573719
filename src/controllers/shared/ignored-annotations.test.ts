import { expect, test } from "vitest";
import { ignoredInWords } from "./ignored-annotations.ts";

test.each([
  {
    why: "letters in another order",
    kind: "Project",
    name: "baas.dev/restrat",
    words: "baas.dev/restrat is not known and does nothing: did you mean baas.dev/restart?",
  },
  {
    why: "another word at its end",
    kind: "Project",
    name: "baas.dev/restore-two",
    words: "baas.dev/restore-two is not known and does nothing: did you mean baas.dev/restore-to?",
  },
  {
    why: "a capital letter",
    kind: "Secret",
    name: "baas.dev/Paused",
    words: "baas.dev/Paused is not known and does nothing: did you mean baas.dev/paused?",
  },
  {
    why: "one of another kind",
    kind: "Project",
    name: "baas.dev/merge",
    words: "baas.dev/merge does nothing here: it is for objects of kind Branch",
  },
  {
    why: "one of other kinds",
    kind: "EdgeFunction",
    name: "baas.dev/restart",
    words: "baas.dev/restart does nothing here: it is for objects of kind Project or Branch",
  },
  {
    why: "nothing like it",
    kind: "Connection",
    name: "baas.dev/rotate-everything",
    words: "baas.dev/rotate-everything is not known and does nothing: known are baas.dev/paused, baas.dev/reconcile-at",
  },
  {
    why: "nothing like it on that kind, though on another",
    kind: "Connection",
    name: "baas.dev/restrat",
    words: "baas.dev/restrat is not known and does nothing: known are baas.dev/paused, baas.dev/reconcile-at",
  },
])("an annotation that does nothing is told with what may be meant: $why", ({ kind, name, words }) => {
  expect(ignoredInWords(kind, name)).toBe(words);
});
