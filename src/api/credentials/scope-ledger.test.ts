import { describe, expect, it } from "vitest";
import { ScopeLedger } from "./scope-ledger.ts";

interface Row {
  readonly why: string;
  /** scopes of operations in order, with `-` where the platform refused one */
  readonly answers: readonly string[];
  readonly before?: readonly string[];
  readonly missing: readonly string[];
  /** whether the last answer was news */
  readonly news: boolean;
}

const rows: readonly Row[] = [
  { why: "nothing was refused", answers: ["projects:read"], missing: [], news: false },
  { why: "one was refused", answers: ["-projects:write"], missing: ["projects:write"], news: true },
  {
    why: "it was refused again",
    answers: ["-projects:write", "-projects:write"],
    missing: ["projects:write"],
    news: false,
  },
  {
    why: "of two scopes of a refused operation one is known to be there",
    answers: ["projects:read", "-projects:read secrets:read"],
    missing: ["secrets:read"],
    news: true,
  },
  {
    why: "a scope that is there was refused to the user's role",
    answers: ["a:read", "-a:read"],
    missing: [],
    news: false,
  },
  { why: "the app was given it since", answers: ["-a:read", "a:read"], missing: [], news: true },
  { why: "an operation that no scope covers was refused", answers: ["-"], missing: [], news: false },
  {
    why: "an earlier process found it missing",
    answers: ["b:read"],
    before: ["a:read"],
    missing: ["a:read"],
    news: false,
  },
  { why: "they are sorted", answers: ["-b:read", "-a:read"], missing: ["a:read", "b:read"], news: true },
];

describe("the scopes that an app lacks", () => {
  it.each(rows)("are $missing, since $why", ({ answers, before, missing, news }) => {
    const ledger = new ScopeLedger(before);
    const told = answers.map((text) => {
      const allowed = !text.startsWith("-");
      const scopes = text
        .replace("-", "")
        .split(" ")
        .filter((scope) => scope !== "");
      return ledger.answered({ scopes }, allowed);
    });
    expect([ledger.missing, told.at(-1)]).toEqual([missing, news]);
  });
});
