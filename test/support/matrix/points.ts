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
  /** whether every recorded family of that form came to it */
  readonly isCommon: boolean;
}

/** Names of a family's requests in each stage, as a run recorded them. */
export type Recording = Readonly<Record<Stage, readonly string[]>>;

function counts(names: readonly string[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const name of names) all.set(name, (all.get(name) ?? 0) + 1);
  return all;
}

/** Share of the recorded families that came to a moment that is a point: what fewer came to would not come again in the few tries that it has. */
const USUAL = 0.75;

type Usual = Moment & Pick<Point, "isCommon">;

/** The moments that most recorded runs had: how often something is polled is told by nobody, and what all had is the less the more runs there are. */
function momentsOf(recordings: readonly Recording[], stage: Stage): readonly Usual[] {
  const all = recordings.map((recording) => counts(recording[stage]));
  return [...new Set(all.flatMap((one) => [...one.keys()]))].flatMap((label) => {
    const times = all.map((one) => one.get(label) ?? 0).toSorted((a, b) => b - a);
    const usual = times[Math.ceil(times.length * USUAL) - 1] ?? 0;
    const least = times.at(-1) ?? 0;
    return Array.from({ length: usual }, (_, index) => ({ label, nth: index + 1, isCommon: index < least }));
  });
}

/** Runs of families of one form. */
type Recorded = Readonly<Record<Form, readonly Recording[]>>;

/** Every point of the recorded runs: each phase of each request of each stage. Those that several forms come to are shared out among them, by their names. */
export function pointsOf(recorded: Recorded): readonly Point[] {
  return stages.flatMap((stage) => {
    const found = new Map<string, Map<Form, Usual>>();
    for (const form of forms) {
      for (const moment of momentsOf(recorded[form], stage)) {
        const name = `${moment.label} #${moment.nth}`;
        found.set(name, (found.get(name) ?? new Map<Form, Usual>()).set(form, moment));
      }
    }
    return [...found].flatMap(([name, having]) => {
      const isExtra = !having.has("plain");
      const chosen = [...having][drawn(`${stage} ${name}`, having.size)];
      if (chosen === undefined) return [];
      const [form, moment] = chosen;
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
