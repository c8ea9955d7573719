import { z } from "zod";

/**
 * The life of one thing as a schedule of statuses. Pure: what a project or branch is now follows from the schedule and the time, so
 * nothing has to tick, and pushing the clock is enough to make hours pass.
 */

/** A life as it is saved. */
export function lifeSchema<const S extends string>(statuses: readonly S[]): z.ZodType<Life<S>> {
  const status = z.enum(statuses);
  const step = z.strictObject({ status, atMs: z.number() }).readonly();
  const phase = z.strictObject({ status, forMs: z.number() }).readonly();
  return z.strictObject({ steps: z.tuple([step], step), held: z.tuple([phase], phase).optional() });
}

/** One status, and how long it lasts before the next one. */
export interface LifePhase<S extends string> {
  readonly status: S;
  /** Milliseconds; the last one lasts until something else begins, whatever its duration. */
  readonly forMs: number;
}

/** A status from a time on. */
export interface LifeStep<S extends string> {
  readonly status: S;
  /** Wall time, milliseconds since the epoch */
  readonly atMs: number;
}

/** Steps in ascending order of time; the first one may lie in the future of nothing: it counts from ever. */
export interface Life<S extends string> {
  readonly steps: readonly [LifeStep<S>, ...LifeStep<S>[]];
  /** Of a life that is held in its last step: that step, as long as it was to last, and what would follow it. */
  readonly held?: Phases<S> | undefined;
}

/** At least one phase. */
export type Phases<S extends string> = readonly [LifePhase<S>, ...LifePhase<S>[]];

/** A life that begins now and runs through the phases. */
export function begin<S extends string>(nowMs: number, plan: Phases<S>): Life<S> {
  const [first, ...rest] = plan;
  const steps: [LifeStep<S>, ...LifeStep<S>[]] = [{ status: first.status, atMs: nowMs }];
  let atMs = nowMs + first.forMs;
  for (const phase of rest) {
    steps.push({ status: phase.status, atMs });
    atMs += phase.forMs;
  }
  return { steps };
}

/** A life that stays as it is. */
export function always<S extends string>(nowMs: number, status: S): Life<S> {
  return { steps: [{ status, atMs: nowMs }] };
}

/** The step that holds at a time. */
export function stepAt<S extends string>(life: Life<S>, nowMs: number): LifeStep<S> {
  return life.steps[indexAt(life, nowMs)] ?? life.steps[0];
}

export function statusAt<S extends string>(life: Life<S>, nowMs: number): S {
  return stepAt(life, nowMs).status;
}

/** The status that the life ends in by itself. */
export function destination<S extends string>(life: Life<S>): S {
  return (life.steps.at(-1) ?? life.steps[0]).status;
}

/**
 * Stops the life at a status that it has, or is yet to reach; what would have followed is remembered.
 * A life that does not come to that status is left as it is.
 */
export function hold<S extends string>(life: Life<S>, status: S, nowMs: number): Life<S> {
  const stopAt = life.steps.findIndex((step, index) => index >= indexAt(life, nowMs) && step.status === status);
  if (stopAt === -1 || life.held !== undefined) return life;
  const [first, ...later] = life.steps;
  const [stop, ...cut] = life.steps.slice(stopAt).map((step, index, all): LifePhase<S> => {
    const next = all[index + 1];
    return { status: step.status, forMs: next === undefined ? 0 : next.atMs - step.atMs };
  });
  if (stop === undefined) return life;
  return { steps: [first, ...later.slice(0, stopAt)], held: [stop, ...cut] };
}

/** Lets a held life go on from now; one that is yet to reach where it would be held goes on as if it had never been. */
export function release<S extends string>(life: Life<S>, nowMs: number): Life<S> {
  const { held, steps } = life;
  if (held === undefined) return life;
  const [first, ...later] = steps;
  const stop = later.at(-1);
  if (stop !== undefined && stop.atMs > nowMs) {
    return { steps: [first, ...later.slice(0, -1), ...begin(stop.atMs, held).steps] };
  }
  const [, next, ...rest] = held;
  return { steps: [first, ...later, ...(next === undefined ? [] : begin(nowMs, [next, ...rest]).steps)] };
}

function indexAt<S extends string>(life: Life<S>, nowMs: number): number {
  return Math.max(
    0,
    life.steps.findLastIndex((step) => step.atMs <= nowMs),
  );
}
