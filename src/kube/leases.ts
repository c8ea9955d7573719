import { z } from "zod";
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import { objectMetaSchema } from "../resources/meta.ts";
import type { KubeClient } from "./client.ts";
import { isKubeError, KubeError } from "./errors.ts";
import { microTime } from "./micro-time.ts";
import type { ObjectId } from "./resource-path.ts";

export const leaseType: ResourceType = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};

/** Who holds a lease and since when; times are wall time of the holder, milliseconds since the epoch. */
export interface LeaseSpec {
  /** "" when nobody holds it. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTimeMs: number;
  readonly renewTimeMs: number;
  readonly leaseTransitions: number;
}

/** A Lease as it was read: what is written on the base of it fails when somebody else wrote in between. */
export interface Lease {
  readonly id: ObjectId;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly spec: LeaseSpec;
}

export interface LeaseCallOptions {
  readonly signal?: AbortSignal;
  /** For the call with its retries, milliseconds; must be shorter than what is left of the lease. */
  readonly deadlineMs: number;
}

/** Leases, each write guarded by the resourceVersion that was read. All reject with a KubeError. */
export interface LeaseClient {
  /** Undefined when there is none. */
  get(id: ObjectId, options: LeaseCallOptions): Promise<Lease | undefined>;
  /** `AlreadyExists` when somebody was faster. */
  create(id: ObjectId, spec: LeaseSpec, options: LeaseCallOptions): Promise<Lease>;
  /** Writes `spec` over `lease` as it was read; `Conflict` when somebody was faster, `NotFound` when it was deleted. */
  update(lease: Lease, spec: LeaseSpec, options: LeaseCallOptions): Promise<Lease>;
}

const leaseSchema = z.looseObject({
  metadata: objectMetaSchema,
  spec: z
    .object({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.number().int().positive().nullish(),
      acquireTime: z.string().nullish(),
      renewTime: z.string().nullish(),
      leaseTransitions: z.number().int().nonnegative().nullish(),
    })
    .nullish(),
});

/**
 * @param client must not be gated by `mayWrite`: a lease is written before anybody leads. Better on a transport of its own (HTTP/1.1), so that
 *   a dead connection of the watches does not cost the lease.
 */
export function createLeaseClient(client: KubeClient): LeaseClient {
  return {
    get: async (id, options) => {
      try {
        return readLease(await client.get(leaseType, id, options));
      } catch (error) {
        if (isKubeError(error, "NotFound")) return undefined;
        throw error;
      }
    },
    create: async (id, spec, options) => readLease(await client.create(leaseType, draft(id, spec, {}), options)),
    update: async ({ id, uid, resourceVersion }, spec, options) =>
      readLease(await client.update(leaseType, draft(id, spec, { uid, resourceVersion }), options)),
  };
}

function draft(id: ObjectId, spec: LeaseSpec, guard: { readonly uid?: string; readonly resourceVersion?: string }) {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { ...id, ...guard },
    spec: {
      holderIdentity: spec.holderIdentity,
      leaseDurationSeconds: spec.leaseDurationSeconds,
      acquireTime: microTime(spec.acquireTimeMs),
      renewTime: microTime(spec.renewTimeMs),
      leaseTransitions: spec.leaseTransitions,
    },
  };
}

function readLease(object: KubeObject): Lease {
  const parsed = leaseSchema.safeParse(object);
  if (!parsed.success) {
    throw new KubeError("UnexpectedResponse", "not a Lease", { status: 200, effect: "unknown", cause: parsed.error });
  }
  const { metadata, spec } = parsed.data;
  return {
    id: { namespace: metadata.namespace ?? "", name: metadata.name },
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    spec: {
      holderIdentity: spec?.holderIdentity ?? "",
      leaseDurationSeconds: spec?.leaseDurationSeconds ?? 0,
      acquireTimeMs: timeOf(spec?.acquireTime),
      renewTimeMs: timeOf(spec?.renewTime),
      leaseTransitions: spec?.leaseTransitions ?? 0,
    },
  };
}

/** 0 for a time that is absent or unreadable: long past. */
function timeOf(text: string | null | undefined): number {
  const ms = text === null || text === undefined ? 0 : Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
}
