import { microTime } from "../base/micro-time.ts";
import type { Lease, LeaseSpec } from "../kube/leases.ts";

/** Lease durations that are believed, milliseconds: a holder that writes nonsense must not keep others out for ever. */
const LEAST_DURATION_MS = 1_000;
const MOST_DURATION_MS = 3_600_000;

/** The last change that was seen of a Lease, and when, on the monotonic clock of who saw it. */
export interface Observation {
  readonly spec: LeaseSpec;
  readonly fingerprint: string;
  readonly atMs: number;
}

/**
 * Notes what was read. The time is kept while the record stays the same, so that it says since when its holder was silent. Times that
 * others wrote into the record are compared for change and never read as times: their clocks are not ours. Labels and annotations
 * that somebody edits are not a sign of life.
 */
export function observe(before: Observation | undefined, lease: Lease, nowMs: number): Observation {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = lease.spec;
  const fingerprint = JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]);
  return before?.fingerprint === fingerprint ? before : { spec: lease.spec, fingerprint, atMs: nowMs };
}

/** True when nobody holds the Lease, or its holder was silent for the duration that it announced. */
export function isFree({ spec, atMs }: Observation, nowMs: number, defaultMs: number): boolean {
  if (spec.holderIdentity === undefined || spec.holderIdentity === "") return true;
  const announcedMs = spec.leaseDurationSeconds === undefined ? defaultMs : spec.leaseDurationSeconds * 1000;
  const durationMs = Math.min(MOST_DURATION_MS, Math.max(LEAST_DURATION_MS, announcedMs));
  return nowMs - atMs >= durationMs;
}

/** The record of who takes the Lease or renews it. */
export function heldSpec(
  before: LeaseSpec | undefined,
  { identity, durationMs, wallMs }: { readonly identity: string; readonly durationMs: number; readonly wallMs: number },
): LeaseSpec {
  const time = microTime(wallMs);
  const renewal = before?.holderIdentity === identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: renewal ? (before.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: before === undefined || renewal ? transitions : transitions + 1,
  };
}

/** The record of who gives the Lease up: no holder, and a duration so short that older clients do not wait either. */
export function releasedSpec(before: LeaseSpec, wallMs: number): LeaseSpec {
  const time = microTime(wallMs);
  return { ...before, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
