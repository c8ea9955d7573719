import type { Rest } from "./rest.ts";

/**
 * By how much something grows in a round: the median of the slopes between each two of them (Theil and Sen), which a round that was unlike the
 * others does not move. Of the last two thirds, as code and caches are warm by then.
 *
 * @param values one after each round
 */
export function growth(values: readonly number[]): number {
  const warm = values.slice(Math.floor(values.length / 3));
  const slopes = warm.flatMap((later, at) => warm.slice(0, at).map((earlier, from) => (later - earlier) / (at - from)));
  return median(slopes);
}

/** The upper one of two; 0 where there is nothing. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** From so many rounds on a slope is one: in fewer, code and caches are still becoming warm. */
const FEW = 10;
/**
 * Objects and bytes that a round may leave behind, and by how much of what it was the price of a run at rest may rise: of operators, emulator and tests, which are
 * in this process together. Rests differ in what there is to be known of their objects, and bytes are in part what V8 notes of code as it runs.
 */
const most = { kept: 1500, bytes: 0.35 * 2 ** 20, share: 0.1 } as const;

/** What a round adds to rests. */
interface Growth {
  /** objects of JavaScript that are kept */
  readonly kept: number;
  /** bytes in use, without code */
  readonly bytes: number;
  /** bytes of code */
  readonly code: number;
  /** time of the processor that a run takes, as a share of what it took in the first third */
  readonly share: number;
}

export function growthOf(rests: readonly Rest[]): Growth {
  const costs = rests.map(({ cpuMs, runs }) => cpuMs / runs);
  return {
    kept: growth(rests.map(({ kept }) => kept)),
    bytes: growth(rests.map(({ memory }) => memory)),
    code: growth(rests.map(({ code }) => code)),
    share: growth(costs) / median(costs.slice(0, Math.ceil(costs.length / 3))),
  };
}

/** What is not flat in a soak of ten rounds and more. */
export function growthFaults(rests: readonly Rest[]): readonly string[] {
  if (rests.length < FEW) return [];
  const added = growthOf(rests);
  const over = (["kept", "bytes", "share"] as const).filter((name) => added[name] > most[name]);
  return over.map((name) => `a round adds ${added[name]} ${name}, at most ${most[name]}`);
}
