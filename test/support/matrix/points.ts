import type { Random } from "../../../src/base/random.ts";
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

/** `count` of the items, in an order that the random source decides. */
export function sampled<T>(items: readonly T[], count: number, random: Random): readonly T[] {
  const left = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && left.length > 0) {
    chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return chosen;
}
