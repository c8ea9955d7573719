import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Measure, median, meets } from "../../bench/bench.ts";
import { sumOf } from "../../bench/operator/process.ts";
import { asJson, asTable } from "../../bench/report.ts";

/** How benches tell their results. What they measure is measured by hand: a busy machine's numbers prove nothing. */

const machine = { cpu: "a processor", cores: 2, memoryGiB: 8, kernel: "6.1", node: "v24.0.0" };
const measures: readonly Measure[] = [
  { name: "reads", value: 4999.9, unit: "requests/s", target: { atLeast: 5000 }, note: "one core" },
  { name: "memory", value: 99.94, unit: "KiB", target: { below: 100 } },
  { name: "deploys", value: 1234.5, unit: "deploys/s" },
];

describe("a bench", () => {
  it.each([
    { values: [3, 1, 2], middle: 2 },
    { values: [4, 1, 2, 3], middle: 2.5 },
    { values: [7], middle: 7 },
  ])("takes $middle as the middle of $values", ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });

  it.each([
    { value: 5000, target: { atLeast: 5000 }, met: true },
    { value: 4999.9, target: { atLeast: 5000 }, met: false },
    { value: 99.9, target: { below: 100 }, met: true },
    { value: 100, target: { below: 100 }, met: false },
  ])("says $met of $value where $target is promised", ({ value, target, met }) => {
    expect(meets({ name: "x", value, unit: "u", target })).toBe(met);
  });

  it("shows a table with the machine, the targets and what misses them", () => {
    expect(asTable(machine, measures).split("\n")).toEqual([
      "a processor, 2 cores, 8 GiB, kernel 6.1, Node.js v24.0.0",
      "",
      "| what    | measured         | target                    | met | how      |",
      "| ------- | ---------------- | ------------------------- | --- | -------- |",
      "| reads   | 5,000 requests/s | at least 5,000 requests/s | NO  | one core |",
      "| memory  | 99.9 KiB         | below 100 KiB             | yes |          |",
      "| deploys | 1,235 deploys/s  |                           |     |          |",
      "",
    ]);
  });

  it("shows JSON with the same", () => {
    const told: unknown = JSON.parse(asJson("emulator", machine, measures));
    expect(told).toEqual({
      bench: "emulator",
      machine,
      measures: [
        { ...measures[0], met: false },
        { ...measures[1], met: true },
        { ...measures[2], met: null },
      ],
    });
  });

  it("reads a metric as the sum of its series with the labels that are asked for", () => {
    const text = [
      'calls_total{kind="a",code="200"} 3',
      'calls_total{kind="b",code="200"} 4',
      "calls_total_more 9",
    ].join("\n");
    expect(sumOf(text, "calls_total")).toBe(7);
    expect(sumOf(text, "calls_total", { kind: "b" })).toBe(4);
    expect(sumOf(text, "calls_total", { kind: "c" })).toBe(0);
  });

  it.each([
    { args: [], code: 2, because: "no name is given" },
    { args: ["nothing"], code: 2, because: "no bench has this name" },
    { args: ["emulator", "-o", "xml"], code: 2, because: "there is no such output" },
    { args: ["emulator", "--fast"], code: 2, because: "there is no such flag" },
    { args: ["--help"], code: 0, because: "help is asked for" },
  ])("that is called with $args ends with $code, since $because, and names the benches", ({ args, code }) => {
    const main = fileURLToPath(new URL("../../bench/main.ts", import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
    expect([status, stdout + stderr]).toEqual([code, expect.stringMatching(/^ {2}emulator +\S/mu)]);
  });
});
