import { z } from "zod";
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import type { KubeClient, ObjectDraft } from "./client.ts";
import { isKubeError, KubeError } from "./errors.ts";
import type { ObjectId } from "./resource-path.ts";

export const leaseType: ResourceType = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};

const leaseSpecSchema = z.object({
  holderIdentity: z.string().optional(),
  leaseDurationSeconds: z.number().int().optional(),
  /** MicroTime, as is renewTime. */
  acquireTime: z.string().optional(),
  renewTime: z.string().optional(),
  leaseTransitions: z.number().int().optional(),
});

/** Who holds a Lease and since when; absent or "" as holderIdentity: nobody. */
export type LeaseSpec = Readonly<z.infer<typeof leaseSpecSchema>>;

/** A Lease as read: the version guards the next write. */
export interface Lease {
  readonly resourceVersion: string;
  readonly spec: LeaseSpec;
}

/**
 * One named Lease. Each call makes at most one change, ends with its signal, and is never repeated after its answer was lost; all reject
 * with a KubeError, whose effect is then `unknown`.
 */
export interface LeaseClient {
  /** Undefined when there is no such Lease. */
  get(signal: AbortSignal): Promise<Lease | undefined>;
  /** `AlreadyExists` when somebody was faster. */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
  /** Replaces the spec of the Lease at this version, and leaves its labels and annotations; `Conflict` when it has another, `NotFound` when it is gone. */
  update(resourceVersion: string, spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
}

/**
 * The Lease `id`.
 *
 * @param client must be gated by neither `mayWrite` nor `mayRead`: a lease is read and written before anybody leads, and read by whoever lost it
 */
export function createLeaseClient(client: KubeClient, id: ObjectId): LeaseClient {
  /** The Lease as last seen: a PUT replaces all of it, and it may carry labels that somebody else set. */
  let seen: KubeObject | undefined;
  const note = (object: KubeObject): Lease => {
    seen = object;
    return readLease(object);
  };
  return {
    get: async (signal) => {
      try {
        return note(await client.get(leaseType, id, { signal }));
      } catch (error) {
        if (isKubeError(error, "NotFound")) return undefined;
        throw error;
      }
    },
    create: async (spec, signal) => note(await client.create(leaseType, draft(id, spec), { signal })),
    update: async (resourceVersion, spec, signal) => {
      const { labels, annotations } = seen?.metadata.resourceVersion === resourceVersion ? seen.metadata : {};
      const metadata = { labels, annotations, ...id, resourceVersion };
      return note(await client.update(leaseType, { ...draft(id, spec), metadata }, { signal }));
    },
  };
}

function draft(id: ObjectId, spec: LeaseSpec): ObjectDraft {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { ...id }, spec };
}

function readLease(object: KubeObject): Lease {
  const parsed = z.object({ spec: leaseSpecSchema.optional() }).safeParse(object);
  if (!parsed.success) {
    throw new KubeError("UnexpectedResponse", "not a Lease", { status: 200, effect: "unknown", cause: parsed.error });
  }
  return { resourceVersion: object.metadata.resourceVersion, spec: parsed.data.spec ?? {} };
}
