/** Uniform in [0, 1), as Math.random; an argument so that tests and replays choose the sequence. */
export type Random = () => number;

/** The machine's own randomness; good for jitter, never for secrets (those come from node:crypto). */
export const systemRandom: Random = () => Math.random();

/**
 * A repeatable sequence from a seed (mulberry32, Tommy Ettinger 2017, public domain; period 2^32): for tests and replays.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
