import { createHash } from "node:crypto";
import { type Moment, type Phase, phases } from "./gate.ts";
import { type Stage, stages } from "./family.ts";
import { type Form, forms } from "./specs.ts";

/** A moment of a stage at which something may happen. */
export interface Point extends Moment {
  readonly stage: Stage;
  readonly phase: Phase;
  /** of the families that it is played with */
  readonly form: Form;
  /** whether no plain family comes to it */
  readonly isExtra: boolean;
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

/** Runs of families of one form. */
type Recorded = Readonly<Record<Form, readonly Recording[]>>;

/** Every point of the recorded runs: each phase of each request of each stage. Those that several forms come to are shared out among them, by their names. */
export function pointsOf(recorded: Recorded): readonly Point[] {
  return stages.flatMap((stage) => {
    const found = new Map<string, { readonly moment: Moment; readonly having: readonly Form[] }>();
    for (const form of forms) {
      for (const moment of momentsOf(recorded[form], stage)) {
        const name = `${moment.label} #${moment.nth}`;
        found.set(name, { moment, having: [...(found.get(name)?.having ?? []), form] });
      }
    }
    return [...found].flatMap(([name, { moment, having }]) => {
      const form = having[drawn(`${stage} ${name}`, having.length)] ?? "plain";
      const isExtra = !having.includes("plain");
      return phases.map((phase) => ({ stage, ...moment, phase, form, isExtra }));
    });
  });
}

/** How a point is called in messages, and in `MATRIX_ONLY`. */
export function nameOf({ stage, label, nth, phase, form }: Point): string {
  return `${stage}: ${phase} ${label} #${nth} (${form})`;
}

/** A number drawn by the text alone, in hexadecimal digits. */
export function lotOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** One of `count` numbers from 0, by the text alone: the same in every run. */
export function drawn(text: string, count: number): number {
  return Number.parseInt(lotOf(text).slice(0, 8), 16) % count;
}
