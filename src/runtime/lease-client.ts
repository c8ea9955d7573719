/** spec of a coordination.k8s.io/v1 Lease, as much of it as an election reads and writes. Times are RFC 3339 with microseconds. */
export interface LeaseSpec {
  /** Absent or "": nobody holds it. */
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
  readonly acquireTime?: string | undefined;
  readonly renewTime?: string | undefined;
  readonly leaseTransitions?: number | undefined;
}

/** A Lease as read: the version guards the next write. */
export interface Lease {
  readonly resourceVersion: string;
  readonly spec: LeaseSpec;
}

/**
 * One named Lease in one namespace; src/kube/leases.ts has the implementation.
 *
 * Each call makes at most one change and ends with the signal. None may be repeated behind the caller's back after its answer was lost:
 * the election reads the Lease to see whose it is.
 */
export interface LeaseClient {
  /** undefined when there is no such Lease. */
  get(signal: AbortSignal): Promise<Lease | undefined>;
  /** @throws an error with code `AlreadyExists` when it exists */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
  /** Replaces the spec if the Lease is still at this version. @throws an error with code `Conflict` when it is not, `NotFound` when it is gone */
  update(resourceVersion: string, spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
}
