import { describe, expect, it } from "vitest";
import { type FactMarks, MADE_OF, madeOfText, readMadeOf } from "./made-of.ts";
import type { OutputSource } from "./read.ts";

function marks(all: Partial<Record<OutputSource, string>>): FactMarks {
  return readMadeOf({ annotations: { [MADE_OF]: JSON.stringify(all) } });
}

describe("what an output was made of", () => {
  it("is remembered while it cannot be told, and forgotten when nothing is made of it any more", () => {
    const before = marks({ host: "k:1", login: "k:1", poolers: "k:1" });
    const sources = new Set<OutputSource>(["login", "poolers"]);
    const text = madeOfText(before, { facts: marks({ host: "k:1", login: "k:2" }), sources });
    expect(JSON.parse(text)).toEqual({ login: "k:2", poolers: "k:1" });
  });

  it.each([{ text: "no JSON" }, { text: "[]" }, { text: '{"host": 1}' }, { text: '{"other": "k:1"}' }])(
    "is unknown where that cannot be read: $text",
    ({ text }) => {
      expect(readMadeOf({ annotations: { [MADE_OF]: text } })).toEqual(new Map());
    },
  );
});
