import { elapsed } from "../../tools/progress.ts";
import type { Registered } from "./register.ts";
import type { Verdict } from "./tests.ts";

/** What became of a mutant. */
export interface Outcome extends Registered {
  readonly verdict: Verdict;
  readonly ms: number;
}

/** In the words of the field: `killed`, `timeout` (killed as well), `survived`; `error` where nothing can be said. */
export function resultOf({ kind }: Verdict): "killed" | "timeout" | "survived" | "error" {
  switch (kind) {
    case "failed":
      return "killed";
    case "timedOut":
      return "timeout";
    case "passed":
      return "survived";
    case "broken":
      return "error";
    default:
      return kind satisfies never;
  }
}

/** Whether the promise is guarded. */
export function isKilled({ verdict }: Outcome): boolean {
  return verdict.kind === "failed" || verdict.kind === "timedOut";
}

/** What killed it, or was to. */
function killedBy({ verdict, mutant }: Outcome): string {
  switch (verdict.kind) {
    case "failed":
      return verdict.test;
    case "timedOut":
    case "passed":
      return mutant.killer.files.join(" ");
    case "broken":
      return verdict.message.replaceAll(/\s+/gu, " ").slice(0, 200);
    default:
      return verdict satisfies never;
  }
}

const HEAD = ["result", "time", "promise", "mutant", "killed by"];

/** A row for each mutant in columns, the survivors named again below, and their count. */
export function asTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { section, mutant, verdict, ms } = outcome;
    return [resultOf(verdict), elapsed(ms), `${section.sign} ${mutant.promise}`, mutant.name, killedBy(outcome)];
  });
  const widths = HEAD.map((head, column) =>
    Math.max(...[HEAD, ...rows].map((row) => row[column]?.length ?? head.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === HEAD.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return `${[HEAD, ...rows].map((row) => line(row)).join("\n")}\n\n${summary(outcomes)}\n`;
}

function summary(outcomes: readonly Outcome[]): string {
  const alive = outcomes.filter((outcome) => !isKilled(outcome));
  const survived = alive.filter(({ verdict }) => verdict.kind === "passed").length;
  const counts = [
    `${outcomes.length} mutants`,
    `${outcomes.length - alive.length} killed`,
    `${survived} survived`,
    ...(alive.length > survived ? [`${alive.length - survived} without a verdict`] : []),
  ].join(", ");
  return alive.length === 0 ? counts : `${counts}: ${alive.map(({ mutant }) => mutant.name).join(", ")}`;
}
