/** What a bench is: one file or folder here for each, listed in main.ts. */

/** What a measured value should be. */
export type Target = { readonly atLeast: number } | { readonly below: number };

export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: Target;
  /** how the value came about: spread, number of runs */
  readonly note?: string;
}

export interface BenchContext {
  /** Tells a person what is going on; goes to stderr. */
  readonly progress: (text: string) => void;
  /** Aborts when the person has had enough; a bench then ends what it started. */
  readonly signal: AbortSignal;
  /** how many projects are measured, where a bench can take another number than it has by itself */
  readonly projects?: number | undefined;
  /** folder where the operator's processor time is written, by function, for Chrome's and other programs' readers of .cpuprofile */
  readonly profile?: string | undefined;
}

export interface Bench {
  readonly summary: string;
  readonly run: (context: BenchContext) => Promise<readonly Measure[]>;
}

/** Whether a measure is as it should be; undefined where nothing is said. */
export function meets({ value, target }: Measure): boolean | undefined {
  if (target === undefined) return undefined;
  return "atLeast" in target ? value >= target.atLeast : value < target.below;
}

/** The middle one of the values, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (upper + lower) / 2;
}
