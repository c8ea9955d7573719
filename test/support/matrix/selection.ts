import { seedFrom } from "../seed.ts";
import { type Case, describeCase } from "./disturbances.ts";
import { drawn, lotOf } from "./points.ts";

/**
 * What of the matrix is played. `MATRIX=all`: everything; with `MATRIX_SHARD=2/8` the second of eight parts, which together are everything. Else a sample
 * that `MATRIX_SEED` repeats. `MATRIX_ONLY` with a regular expression: the cases alone whose names it matches.
 */
interface Selection {
  /** for people */
  readonly told: string;
  /** whether somebody names cases, of which there must be some */
  readonly isNamed?: true;
  /** whether all is played, or a part of all: families side by side by the hundred */
  readonly isWhole: boolean;
  /** @param count how many a sample has; absent: all */
  of(cases: readonly Case[], count?: number): readonly Case[];
}

export function selectionFrom(environment: NodeJS.ProcessEnv): Selection {
  const seed = seedFrom("MATRIX_SEED");
  const { MATRIX, MATRIX_SHARD: shard, MATRIX_ONLY: only } = environment;
  if (only !== undefined) {
    const words = new RegExp(only, "u");
    return {
      told: `MATRIX_ONLY=${only}`,
      isNamed: true,
      isWhole: false,
      of: (cases) => cases.filter((one) => words.test(describeCase(one))),
    };
  }
  if (MATRIX === "all") {
    const isIn = shard === undefined ? () => true : inShard(shard);
    const told = `MATRIX=all${shard === undefined ? "" : ` MATRIX_SHARD=${shard}`}`;
    return { told, isWhole: true, of: (cases) => cases.filter((one) => isIn(describeCase(one))) };
  }
  return {
    told: `MATRIX_SEED=${seed}`,
    isWhole: false,
    of: (cases, count = cases.length) => (count < cases.length ? sampled(cases, seed, count) : cases),
  };
}

/**
 * `count` of the cases, drawn by the seed and their names: how often something was polled in the recording, and so how many cases there are, changes
 * little of what is drawn.
 */
function sampled(cases: readonly Case[], seed: number, count: number): readonly Case[] {
  const lots = new Map(cases.map((one) => [lotOf(`${seed} ${describeCase(one)}`), one]));
  return [...lots]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, count)
    .map(([, one]) => one);
}

/** By the name of a case too, so that it is in the same part in every run, on whatever machine. @throws RangeError when it names no part */
function inShard(shard: string): (name: string) => boolean {
  const [, part, parts] = (/^(\d+)\/(\d+)$/u.exec(shard) ?? []).map(Number);
  if (part === undefined || parts === undefined || part < 1 || part > parts) {
    throw new RangeError(`MATRIX_SHARD=${shard}: write a part and their number, such as 2/8`);
  }
  return (name) => drawn(name, parts) === part - 1;
}
