import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { elapsed, startStep } from "./progress.ts";

function recorder(isTerminal: boolean): {
  readonly written: string[];
  readonly output: Parameters<typeof startStep>[1];
} {
  const written: string[] = [];
  const write = (text: unknown): boolean => written.push(String(text)) > 0;
  return { written, output: { stream: { write }, isTerminal } };
}

describe("a step", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("says without a terminal, a line each, that it goes on at least every 15 s and how long it took", () => {
    const { written, output } = recorder(false);
    const step = startStep("etcd", output);
    vi.advanceTimersByTime(15_000);
    step.detail("12 packages compiled");
    vi.advanceTimersByTime(15_000);
    vi.advanceTimersByTime(9000);
    step.end("done");
    expect(written.map((line) => line.replaceAll(/ +/gu, " "))).toEqual([
      " etcd 0s started\n",
      " etcd 15s building\n",
      " etcd 30s building, 12 packages compiled\n",
      " etcd 39s done, 12 packages compiled\n",
    ]);
  });

  it("keeps one line up to date on a terminal, and leaves it when it ends", () => {
    const { written, output } = recorder(true);
    const step = startStep("etcd", output);
    vi.advanceTimersByTime(2000);
    step.end("failed");
    expect(written.length).toBeGreaterThan(5);
    expect(written.slice(0, -1).every((text) => text.startsWith("\r\u001B[2K") && !text.includes("\n"))).toBe(true);
    expect(written.at(-2)).toContain("2s  failed");
    expect(written.at(-1)).toBe("\n");
  });

  it("says nothing more after its end", () => {
    const { written, output } = recorder(false);
    startStep("etcd", output).end("stopped");
    const before = written.length;
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(before);
  });
});

it.each([
  { ms: 400, text: "0s" },
  { ms: 59_400, text: "59s" },
  { ms: 59_600, text: "1m00s" },
  { ms: 166_000, text: "2m46s" },
])("elapsed time of $ms ms reads $text", ({ ms, text }) => {
  expect(elapsed(ms)).toBe(text);
});
