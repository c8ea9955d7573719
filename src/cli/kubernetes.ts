import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import { hostOf, isLoopbackHost, type ProxySettings } from "../base/proxy.ts";
import { systemRandom } from "../base/random.ts";
import { silentTracer, type Tracer } from "../base/tracer.ts";
import { namespaceType } from "../controllers/shared/core-types.ts";
import type { KubeClient, WriteObserver } from "../kube/client.ts";
import { createKubeClient } from "../kube/client-requests.ts";
import { isKubeError } from "../kube/errors.ts";
import type { KubeTransport } from "../kube/http.ts";
import { createLeaseClient } from "../kube/leases.ts";
import { createKubeTransport, type KubeConfigSource } from "../kube/transport.ts";
import { LeaderElector, newIdentity } from "../runtime/leader-election.ts";
import { type Leadership, soleLeader } from "../runtime/leadership.ts";
import type { ScopeFlags } from "./operator-flags.ts";

const PROGRAM = "baas-operator";

/**
 * Name of the lease, one per watched scope (engine.md §8): the same for every cluster-wide release, while installs that watch different
 * namespaces never wait for each other, even where their leases lie side by side.
 */
export function leaseName(watched: readonly string[]): string {
  if (watched.length === 0) return PROGRAM;
  const scope = [...new Set(watched)].toSorted((a, b) => (a < b ? -1 : 1)).join(",");
  return `${PROGRAM}-${createHash("sha256").update(scope).digest("hex").slice(0, 8)}`;
}

/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in lower or upper case. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  return {
    httpProxy: env["http_proxy"] ?? env["HTTP_PROXY"],
    httpsProxy: env["https_proxy"] ?? env["HTTPS_PROXY"],
    noProxy: env["no_proxy"] ?? env["NO_PROXY"],
  };
}

interface ClusterOptions {
  readonly flags: ScopeFlags;
  readonly proxy: ProxySettings;
  readonly observer?: WriteObserver;
  readonly log: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer;
}

/** The apiserver as one process uses it: requests gated by leadership, the lease on a connection of its own. */
export interface Cluster extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly leadership: Leadership;
  /** whether the apiserver is on this very machine, as for tests and demos: in a Pod it never is */
  readonly isLocal: boolean;
}

/** Connects to the cluster. Nothing is written before `leadership` is acquired. */
export function openCluster({ flags, proxy, observer, log, meter, tracer = silentTracer }: ClusterOptions): Cluster {
  const kubeConfig: KubeConfigSource =
    flags.kubeconfig === undefined ? { kind: "default" } : { kind: "file", path: flags.kubeconfig };
  const shared = { kubeConfig, proxy, clock: systemClock, log, meter, userAgent: PROGRAM };
  const transport = createKubeTransport({ ...shared, tracer });
  const leaseTransport = flags.leaderElect ? createKubeTransport(shared) : undefined;
  const leadership = leaseTransport === undefined ? soleLeader() : elector(flags, leaseTransport, { log, meter });
  const kube = createKubeClient({
    transport,
    clock: systemClock,
    random: systemRandom,
    log,
    ...(observer === undefined ? {} : { observer }),
    mayWrite: () => leadership.mayStart(),
  });
  return {
    kube,
    leadership,
    isLocal: isLoopbackHost(hostOf(new URL(transport.server))),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([transport.close(), leaseTransport?.close()]);
    },
  };
}

function elector(
  flags: ScopeFlags,
  transport: KubeTransport,
  { log, meter }: { readonly log: Logger; readonly meter: Meter },
): Leadership {
  const own = flags.watchNamespace.length === 0 ? "kube-system" : flags.operatorNamespace;
  const namespace = flags.leaderElectionNamespace ?? own;
  const common = { clock: systemClock, random: systemRandom, log };
  const leases = createLeaseClient(createKubeClient({ transport, ...common }), {
    namespace,
    name: leaseName(flags.watchNamespace),
  });
  return new LeaderElector({ leases, identity: newIdentity(hostname()), meter, ...common });
}

/**
 * What tells this cluster from others: the uid of its namespace kube-system.
 *
 * @throws Error when it may not be read: without it a copied manifest cannot be told from our own
 */
export async function clusterId(kube: KubeClient, signal: AbortSignal): Promise<string> {
  try {
    const namespace = await kube.get(namespaceType, { namespace: "", name: "kube-system" }, { signal });
    return namespace.metadata.uid;
  } catch (error) {
    if (!isKubeError(error, "Forbidden")) throw error;
    throw new Error("the operator's ServiceAccount may not get the namespace kube-system: install the chart's roles", {
      cause: error,
    });
  }
}
