import { describe, expect, it } from "vitest";
import { surplus } from "./releases.ts";

const line = (time: string, cause?: string): string => JSON.stringify({ time, cause });

describe("the lines that make room for a new one", () => {
  it.each([
    { why: "there is room", lines: { a: line("2026-01-02T00:00:00Z") }, most: 1, dropped: [] },
    {
      why: "the oldest goes, wherever it stands",
      lines: { a: line("2026-01-02T00:00:00Z"), b: line("2026-01-01T00:00:00Z"), c: line("2026-01-03T00:00:00Z") },
      most: 2,
      dropped: ["b"],
    },
    {
      why: "what is no line of ours goes first",
      lines: { a: line("2026-01-01T00:00:00Z"), note: "by hand", b: line("2026-01-02T00:00:00Z") },
      most: 1,
      dropped: ["note", "a"],
    },
    {
      why: "what was kept on purpose goes before what could not be deleted, however new",
      lines: { a: line("2026-01-01T00:00:00Z", "ByHand"), b: line("2026-01-02T00:00:00Z", "Retained") },
      most: 1,
      dropped: ["b"],
    },
  ])("are $dropped: $why", ({ lines, most, dropped }) => {
    expect(surplus(lines, most)).toEqual(dropped);
  });
});
