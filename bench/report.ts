import { cpus, release, totalmem } from "node:os";
import { type Measure, meets } from "./bench.ts";

/** How results are told: a table for people, JSON for programs. */

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? "unknown",
    cores: cores.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
}

export function asJson(name: string, machine: Machine, measures: readonly Measure[]): string {
  const told = measures.map((measure) => ({ ...measure, met: meets(measure) ?? null }));
  return `${JSON.stringify({ bench: name, machine, measures: told }, null, 2)}\n`;
}

/** A table in Markdown, as docs/performance.md shows it. */
export function asTable(machine: Machine, measures: readonly Measure[]): string {
  const rows = measures.map((measure) => [
    measure.name,
    `${inDigits(measure.value)} ${measure.unit}`,
    targetOf(measure),
    metOf(measure),
    measure.note ?? "",
  ]);
  const table = [["what", "measured", "target", "met", "how"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const { cpu, cores, memoryGiB, node, kernel } = machine;
  const where = `${cpu}, ${cores} cores, ${memoryGiB} GiB, kernel ${kernel}, Node.js ${node}`;
  return `${[where, "", lines[0], rule, ...lines.slice(1)].join("\n")}\n`;
}

function targetOf({ target, unit }: Measure): string {
  if (target === undefined) return "";
  return "atLeast" in target
    ? `at least ${inDigits(target.atLeast)} ${unit}`
    : `below ${inDigits(target.below)} ${unit}`;
}

function metOf(measure: Measure): string {
  const met = meets(measure);
  return met === undefined ? "" : met ? "yes" : "NO";
}

function inDigits(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: value < 100 ? 1 : 0 });
}
