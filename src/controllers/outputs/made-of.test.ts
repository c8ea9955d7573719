import { describe, expect, it } from "vitest";
import { changedSince, type FactMarks, MADE_OF, madeOfText, readMadeOf } from "./made-of.ts";
import type { OutputSource } from "./read.ts";

function marks(all: Partial<Record<OutputSource, string>>): FactMarks {
  return readMadeOf({ annotations: { [MADE_OF]: JSON.stringify(all) } });
}

describe("what an output was made of", () => {
  it.each<{ why: string; before: FactMarks; now: FactMarks; changed: readonly OutputSource[] }>([
    {
      why: "is another where its mark by the same key is",
      before: marks({ login: "k:1", password: "k:1" }),
      now: marks({ login: "k:1", password: "k:2" }),
      changed: ["password"],
    },
    {
      why: "is not compared by marks of two keys",
      before: marks({ password: "k:1" }),
      now: marks({ password: "l:2" }),
      changed: [],
    },
    {
      why: "is not known to be another while it cannot be told",
      before: marks({ host: "k:1" }),
      now: marks({}),
      changed: [],
    },
    {
      why: "is not known to be another where no mark says so",
      before: marks({}),
      now: marks({ host: "k:1" }),
      changed: [],
    },
  ])("$why", ({ before, now, changed }) => {
    expect([...changedSince(before, now)]).toEqual(changed);
  });

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
