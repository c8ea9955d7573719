import { ManualClock } from "../../../src/base/manual-clock.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import type { Meter } from "../../../src/base/meter.ts";
import { NoBudgetError } from "../../../src/api/pacing/no-budget-error.ts";
import { Pacer } from "../../../src/api/pacing/pacer.ts";
import type { PaceRequest, Permit, Scope } from "../../../src/api/pacing/pacer.ts";
import type { RateReading } from "../../../src/api/pacing/rate-headers.ts";

const SHOP: Scope = { kind: "project", id: "shop" };
export const BLOG: Scope = { kind: "project", id: "blog" };

/** A pacer on a driven clock, and short ways to use it. Its scope is the project `shop`, its identity `ada`, unless told otherwise. */
export interface Bench {
  readonly clock: ManualClock;
  readonly pacer: Pacer;
  readonly ask: (request?: Partial<PaceRequest>) => Promise<Permit>;
  /** asks and answers at once */
  readonly spend: (count: number, request?: Partial<PaceRequest>, reading?: RateReading) => Promise<void>;
  readonly answer: (permit: Permit, reading?: RateReading, throttled?: boolean) => void;
}

/** Makes one. @param drawn what chance gives; default: jitter is at its least */
export function bench(meter: Meter = silentMeter, drawn = 0): Bench {
  const clock = new ManualClock();
  const pacer = new Pacer({ clock, random: () => drawn, meter });
  const never = new AbortController().signal;
  const ask: Bench["ask"] = (request) =>
    pacer.acquire({ identity: "ada", scope: SHOP, lane: "change", signal: never, maxWaitMs: 1000, ...request });
  const answer: Bench["answer"] = (permit, reading = {}, throttled = false) => {
    const now = clock.monotonic();
    permit.end({ sentAtMs: now, receivedAtMs: now, throttled }, reading);
  };
  const spend: Bench["spend"] = async (count, request, reading) => {
    for (let n = 0; n < count; n += 1) answer(await ask(request), reading);
  };
  return { clock, pacer, ask, spend, answer };
}

/** What a request that is turned away is told, milliseconds. */
export async function refusal(asked: Promise<unknown>): Promise<number> {
  return (await turnedAway(asked)).retryAfterMs;
}

/** With what a request is turned away. */
export async function turnedAway(asked: Promise<unknown>): Promise<NoBudgetError> {
  const error: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NoBudgetError)) throw new Error("expected to be turned away", { cause: error });
  return error;
}

/** Whether a request got its permit, after everything that can run has run. */
export async function granted(clock: ManualClock, asked: Promise<unknown>): Promise<boolean> {
  let done = false;
  void asked.then(
    () => (done = true),
    () => undefined,
  );
  await clock.advanceAsync(0);
  return done;
}
