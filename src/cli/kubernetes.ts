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
import type { KubeTransport } from "../kube/exchange.ts";
import { createLeaseClient } from "../kube/leases.ts";
import { createKubeTransport, type KubeConfigSource } from "../kube/transport.ts";
import { LeaderElector, newIdentity } from "../runtime/leader-election.ts";
import { type Leadership, soleLeader } from "../runtime/leadership.ts";
import { reasonOf } from "./flag-file.ts";
import { UsageError } from "./flags.ts";
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
  /** told of each other process that is found to hold the lease */
  readonly onHeld?: (holder: string) => void;
}

/** The apiserver as one process uses it: requests gated by leadership, the lease on a connection of its own. */
export interface Cluster extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly leadership: Leadership;
  /** its URL */
  readonly server: string;
  /** whether the apiserver is on this very machine, as for tests and demos: in a Pod it never is */
  readonly isLocal: boolean;
}

/** Connects to the cluster. Nothing is written before `leadership` is acquired. */
export function openCluster(options: ClusterOptions): Cluster {
  const { flags, proxy, observer, log, meter, tracer = silentTracer } = options;
  const kubeConfig: KubeConfigSource =
    flags.kubeconfig === undefined ? { kind: "default" } : { kind: "file", path: flags.kubeconfig };
  const shared = { kubeConfig, proxy, clock: systemClock, log, meter, userAgent: PROGRAM };
  const transport = connect({ ...shared, tracer });
  const leaseTransport = flags.leaderElect ? createKubeTransport(shared) : undefined;
  const leadership = leaseTransport === undefined ? soleLeader() : elector(leaseTransport, options);
  const kube = createKubeClient({
    transport,
    clock: systemClock,
    random: systemRandom,
    log,
    ...(observer === undefined ? {} : { observer }),
    mayWrite: () => leadership.mayStart(),
    mayRead: () => leadership.mayRead(),
  });
  return {
    kube,
    leadership,
    server: transport.server,
    isLocal: isLoopbackHost(hostOf(new URL(transport.server))),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([transport.close(), leaseTransport?.close()]);
    },
  };
}

/** @throws UsageError for a kubeconfig that cannot be used */
function connect(options: Parameters<typeof createKubeTransport>[0]): KubeTransport {
  try {
    return createKubeTransport(options);
  } catch (error) {
    throw new UsageError(kubeconfigWords(options.kubeConfig, error), { cause: error });
  }
}

function kubeconfigWords(source: KubeConfigSource, error: unknown): string {
  const reason = reasonOf(error);
  if (source.kind !== "file") return `the kubeconfig that kubectl uses: ${reason}; name another with --kubeconfig`;
  const unread = error instanceof Error && "syscall" in error;
  return unread ? `--kubeconfig: cannot read ${source.path}: ${reason}` : `--kubeconfig: ${source.path}: ${reason}`;
}

/** A namespace and the flag that names it. */
interface NamedNamespace {
  readonly flag: string;
  readonly namespace: string;
}

/** Where the lease lies. */
export function leasePlace(flags: ScopeFlags): NamedNamespace {
  const own = flags.watchNamespace.length === 0 ? "kube-system" : flags.operatorNamespace;
  const flag = flags.leaderElectionNamespace === undefined && own !== "kube-system" ? "operator" : "leader-election";
  return { flag: `${flag}-namespace`, namespace: flags.leaderElectionNamespace ?? own };
}

function elector(transport: KubeTransport, { flags, log, meter, onHeld }: ClusterOptions): Leadership {
  const { namespace } = leasePlace(flags);
  const common = { clock: systemClock, random: systemRandom, log };
  const leases = createLeaseClient(createKubeClient({ transport, ...common }), {
    namespace,
    name: leaseName(flags.watchNamespace),
  });
  return new LeaderElector({ leases, identity: newIdentity(hostname()), meter, onHeld, ...common });
}

interface PodContext {
  /** that of the Pod that this runs in */
  readonly podNamespace: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Nothing can be kept in a namespace that does not exist, and each try would fail anew. Those that are certain to be there are not asked for: a Pod
 * need not have the right.
 *
 * @throws UsageError for the first one that does not exist; one that may not be read is taken as it is
 */
export async function requireNamespaces(
  kube: KubeClient,
  named: readonly NamedNamespace[],
  { podNamespace, signal }: PodContext,
): Promise<void> {
  for (const { flag, namespace } of named) {
    if (namespace === "kube-system" || namespace === podNamespace) continue;
    try {
      await kube.get(namespaceType, { namespace: "", name: namespace }, { signal });
    } catch (cause) {
      if (isKubeError(cause, "Forbidden")) continue;
      if (!isKubeError(cause, "NotFound")) throw cause;
      throw new UsageError(`--${flag}: there is no namespace ${namespace}: create it, or name another one`, { cause });
    }
  }
}

/**
 * Warns of watched namespaces that do not exist, which look like empty ones: a name may be misspelt. It is no wrong use, since what may be made
 * later is watched from then on. Nothing is said of one that may not be read, or cannot be.
 */
export async function warnOfMissing(
  kube: KubeClient,
  namespaces: readonly string[],
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  for (const namespace of namespaces) {
    try {
      await kube.get(namespaceType, { namespace: "", name: namespace }, { signal });
    } catch (error) {
      if (!isKubeError(error)) throw error;
      if (error.code !== "NotFound") continue;
      log.warn({ namespace }, "--watch-namespace: there is no such namespace: nothing is done until it is made");
    }
  }
}

/**
 * What tells this cluster from others: the uid of its namespace kube-system.
 *
 * @throws Error when it may not be read: without it a copied manifest cannot be told from our own; and when the apiserver does not answer
 */
export async function clusterId(
  { kube, server }: Pick<Cluster, "kube" | "server">,
  signal: AbortSignal,
): Promise<string> {
  try {
    const namespace = await kube.get(namespaceType, { namespace: "", name: "kube-system" }, { signal });
    return namespace.metadata.uid;
  } catch (error) {
    if (isKubeError(error, "Unavailable") || isKubeError(error, "Timeout")) {
      throw new Error(`the apiserver ${server} does not answer: ${error.message}`, { cause: error });
    }
    if (!isKubeError(error, "Forbidden")) throw error;
    throw new Error("the operator's ServiceAccount may not get the namespace kube-system: install the chart's roles", {
      cause: error,
    });
  }
}
