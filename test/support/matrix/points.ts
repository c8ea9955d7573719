import { createHash } from "node:crypto";
import { type Moment, type Phase, phases } from "./gate.ts";
import { type Stage, stages } from "./family.ts";

/** A moment of a stage at which something may happen. */
export interface Point extends Moment {
  readonly stage: Stage;
  readonly phase: Phase;
}

/** Names of a family's requests in each stage, as a run recorded them. */
export type Recording = Readonly<Record<Stage, readonly string[]>>;

function counts(names: readonly string[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const name of names) all.set(name, (all.get(name) ?? 0) + 1);
  return all;
}

/** The moments that every recorded run had: how often something is polled is told by nobody. */
function momentsOf(recordings: readonly Recording[], stage: Stage): readonly Moment[] {
  const [first, ...others] = recordings.map((recording) => counts(recording[stage]));
  return [...(first ?? [])].flatMap(([label, count]) => {
    const least = Math.min(count, ...others.map((other) => other.get(label) ?? 0));
    return Array.from({ length: least }, (_, index) => ({ label, nth: index + 1 }));
  });
}

/** Every point of the recorded runs: each phase of each request of each stage. */
export function pointsOf(recordings: readonly Recording[]): readonly Point[] {
  return stages.flatMap((stage) =>
    momentsOf(recordings, stage).flatMap((moment) => phases.map((phase) => ({ stage, ...moment, phase }))),
  );
}

/** How a point is called in messages, and in `MATRIX_ONLY`. */
export function nameOf({ stage, label, nth, phase }: Point): string {
  return `${stage}: ${phase} ${label} #${nth}`;
}

/**
 * `count` of the items, drawn by the seed and their names: how often something was polled in the recording, and so how many items there are, changes
 * little of what is drawn.
 */
export function sampled<T>(items: readonly T[], nameOfItem: (item: T) => string, draw: Draw): readonly T[] {
  const lot = (item: T): string =>
    createHash("sha256")
      .update(`${draw.seed} ${nameOfItem(item)}`)
      .digest("hex");
  const lots = new Map(items.map((item) => [lot(item), item]));
  return [...lots]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, draw.count)
    .map(([, item]) => item);
}

interface Draw {
  readonly seed: number;
  readonly count: number;
}
