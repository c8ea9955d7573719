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
    expect(surplus(lines, { lines: most, bytes: 1000 })).toEqual(dropped);
  });

  it("are the oldest until what stays is no longer than there is room for, in bytes", () => {
    const lines = Object.fromEntries(
      ["a", "b", "c"].map((key, day) => [key, line(`2026-01-0${day + 1}T00:00:00Z`, "ä")]),
    );
    const { length } = Buffer.from(line("2026-01-01T00:00:00Z", "ä"));
    const bytes = 2 * (1 + length);
    expect(surplus(lines, { lines: 3, bytes })).toEqual(["a"]);
    expect(surplus(lines, { lines: 3, bytes: bytes - 1 })).toEqual(["a", "b"]);
  });
});
