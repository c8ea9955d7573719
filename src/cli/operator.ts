import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Pacer } from "../api/pacing/pacer.ts";
import { Artifacts } from "../artifacts/artifacts.ts";
import { Reach } from "../artifacts/reach.ts";
import { orAborted } from "../base/abort.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { causeChain } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import type { ProxySettings } from "../base/proxy.ts";
import { systemRandom } from "../base/random.ts";
import { silentTracer, type Tracer } from "../base/tracer.ts";
import { Clients } from "../controllers/connection/credential.ts";
import type { ConnectionParts } from "../controllers/connection/reconcile.ts";
import type { OperatorIdentity } from "../controllers/connection/secrets.ts";
import { createReconcilers } from "../controllers/controllers.ts";
import type { Environment } from "../controllers/environment.ts";
import { RefusedTries } from "../controllers/requests/refused-tries.ts";
import { SectionMemory } from "../controllers/sections/memory.ts";
import { Absences } from "../controllers/shared/absences.ts";
import { ConvergenceGuard } from "../controllers/shared/convergence.ts";
import { DeletionTimes } from "../controllers/shared/deletion-times.ts";
import { KeyRing } from "../controllers/shared/key-ring.ts";
import { DriftChecks } from "../controllers/shared/drift-checks.ts";
import { WaitingUsers } from "../controllers/shared/waiting-users.ts";
import { Releases } from "../controllers/shared/releases.ts";
import { BUDGET_WAIT_MS } from "../controllers/shared/run.ts";
import { Sessions } from "../controllers/shared/sessions.ts";
import { ProjectSnapshots } from "../controllers/shared/snapshot.ts";
import { Withdrawals } from "../controllers/shared/withdrawals.ts";
import { wire } from "../controllers/wiring.ts";
import type { KubeClient } from "../kube/client.ts";
import { EventRecorder } from "../kube/events.ts";
import { exitCode, exitMessage } from "../runtime/exit.ts";
import { type HealthServer, startHealthServer } from "../runtime/health.ts";
import { Manager } from "../runtime/manager.ts";
import { createMetrics } from "../runtime/metrics.ts";
import type { Tracing } from "../runtime/tracing.ts";
import { applyClusterConnection, type ClusterConnectionManifest } from "./cluster-connection.ts";
import { connector, type SharedSettings } from "./connector.ts";
import { type Cluster, clusterId, leasePlace, openCluster, requireNamespaces, warnOfMissing } from "./kubernetes.ts";
import type { RunFlags } from "./operator-flags.ts";
import { listenError } from "./listen-words.ts";
import { programVersion } from "../api/openapi/version.ts";
import { openStores, type OpenStores } from "./operator-stores.ts";

/** What `baas run` was told. */
export interface OperatorOptions {
  readonly flags: RunFlags;
  readonly proxy: ProxySettings;
  /** PEM certificates for the Management API */
  readonly ca?: string;
  /** applied at the start */
  readonly clusterConnection?: ClusterConnectionManifest;
  /** namespace of the Pod that this runs in */
  readonly podNamespace?: string | undefined;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** time of queue, controllers and Management API; the machine's when absent. The apiserver's side always has the machine's */
  readonly clock?: Clock;
}

/** Puts the rooms together, runs until told to stop or until something ends it, and returns the exit code. */
export async function operate(options: OperatorOptions): Promise<number> {
  const { flags, proxy, log, clock = systemClock } = options;
  const metrics = createMetrics({ processMetrics: true });
  const { meter } = metrics;
  const stores = openStores(log);
  const tracing = await tracingOf(flags, meter);
  const { tracer = silentTracer } = tracing ?? {};
  await using cluster = openCluster({ flags, proxy, observer: stores.set, log, meter, tracer });
  const manager = new Manager({
    clock,
    random: systemRandom,
    log,
    meter,
    leadership: cluster.leadership,
    workers: flags.workers,
    tracer,
  });
  if (tracing !== undefined) manager.addOutput(tracing.output);
  const { host, port } = flags.healthAddress;
  const listening = startHealthServer({
    host,
    port,
    liveness: () => manager.liveness(),
    readiness: () => manager.readiness(),
    metrics: () => metrics.expose(),
    log,
  });
  const health = await listening.catch((error: unknown) => {
    throw listenError(error, { host, port, hostName: "--health-address", portName: "--health-address" });
  });
  try {
    return await serve({ ...options, clock }, { cluster, manager, stores, meter, health, tracer });
  } catch (error) {
    if (!options.signal.aborted || !causeChain(error).includes(options.signal.reason)) throw error;
    // Asked to stop before the manager ran: that is no failure.
    const exit = { kind: "stopped", clean: true } as const;
    log.info({ exit: exit.kind }, exitMessage(exit));
    return exitCode(exit);
  } finally {
    await health.stop();
  }
}

type TimedOptions = OperatorOptions & { readonly clock: Clock };

interface OperatorParts {
  readonly cluster: Cluster;
  readonly manager: Manager;
  readonly stores: OpenStores;
  readonly meter: Meter;
  readonly health: HealthServer;
  readonly tracer: Tracer;
}

/** Loaded only where it is asked for: its packages cost memory. */
async function tracingOf({ otlpEndpoint, traceRatio }: RunFlags, meter: Meter): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  const { openTracing } = await import("../runtime/tracing.ts");
  return openTracing({ endpoint: otlpEndpoint, ratio: traceRatio, version: programVersion(), meter });
}

async function serve(options: TimedOptions, parts: OperatorParts): Promise<number> {
  const { flags, log, signal, clusterConnection } = options;
  const { cluster, manager, stores, meter, health, tracer } = parts;
  const { kube } = cluster;
  const id = await clusterId(cluster, signal);
  const own = { flag: "operator-namespace", namespace: flags.operatorNamespace };
  const asking = { podNamespace: options.podNamespace, signal };
  await requireNamespaces(kube, flags.leaderElect ? [own, leasePlace(flags)] : [own], asking);
  await warnOfMissing(kube, flags.watchNamespace, { log, signal });
  const events = eventRecorder(kube, { log, meter });
  const reach = new Reach({ loopback: cluster.isLocal });
  const mayStart = (): boolean => cluster.leadership.mayStart();
  await using artifacts = new Artifacts({ clock: options.clock, proxy: options.proxy, reach, mayStart });
  const environment = environmentOf(options, { cluster, artifacts, manager, stores, meter, events, id });
  wire(environment, stores);
  stores.watch({ manager, kube, namespaces: flags.watchNamespace, log, meter });
  if (clusterConnection !== undefined) {
    const applying = { kube, manifest: clusterConnection, clock: systemClock, random: systemRandom, log };
    const run = (aborted: AbortSignal): Promise<void> => applyClusterConnection(applying, aborted);
    manager.addStartTask({ name: "the ClusterConnection of the command line", run });
  }
  const pacer = new Pacer({ clock: options.clock, random: systemRandom, meter, inSuccession: true });
  const settings = sharedSettings(options, { pacer, cluster, meter, tracer });
  const { workloadIdentityTokenFile } = flags;
  const clients = new Clients(connector({ settings, workloadIdentityTokenFile }));
  const reconcilers = createReconcilers(environment, connectionParts(flags, clients));
  for (const reconciler of reconcilers) manager.addReconciler(reconciler);
  manager.addOutput({ name: "refresh tokens", drain: (aborted) => orAborted(clients.idle(aborted), aborted) });
  manager.addOutput({ name: "events", drain: (aborted) => events.drain(aborted) });
  log.info({ health: health.url, namespaces: flags.watchNamespace }, "operator starting");
  const exit = await manager.run(signal);
  await clients.close();
  pacer.close(new Error("the operator stops"));
  log.info({ exit: exit.kind }, exitMessage(exit));
  return exitCode(exit);
}

/** Events carry the machine's time, whatever clock the controllers run by: the apiserver lets them expire by its own. */
function eventRecorder(client: KubeClient, sinks: { readonly log: Logger; readonly meter: Meter }): EventRecorder {
  const reporter = { controller: "baas.dev/operator", instance: hostname() };
  return new EventRecorder({ client, reporter, clock: systemClock, random: systemRandom, ...sinks });
}

/** What connections may reach, and as whom. */
function connectionParts(flags: RunFlags, clients: Clients): ConnectionParts {
  const { credentialProtection, allowedBaseUrl } = flags;
  const allowsBaseUrl = (href: string): boolean => allowedBaseUrl.length === 0 || allowedBaseUrl.includes(href);
  return { clients, operator: operatorIdentity(flags), credentialProtection, allowsBaseUrl };
}

function sharedSettings(
  { proxy, ca, log, clock }: TimedOptions,
  { pacer, cluster, meter, tracer }: Pick<OperatorParts, "cluster" | "meter" | "tracer"> & { readonly pacer: Pacer },
): SharedSettings {
  return {
    pacer,
    clock,
    random: systemRandom,
    log,
    meter,
    tracer,
    proxy,
    ...(ca === undefined ? {} : { ca }),
    limits: { maxWaitMs: BUDGET_WAIT_MS },
    mayStart: () => cluster.leadership.mayStart(),
  };
}

/** What the operator is to the connections of this process. */
function operatorIdentity(flags: RunFlags): OperatorIdentity {
  const namespaces = flags.workloadIdentityNamespace;
  return {
    namespace: flags.operatorNamespace,
    process: randomUUID(),
    workloadIdentity: flags.workloadIdentityTokenFile === undefined ? undefined : { namespaces },
  };
}

interface EnvironmentParts {
  readonly cluster: Cluster;
  readonly artifacts: Artifacts;
  readonly manager: Manager;
  readonly stores: OpenStores;
  readonly meter: Meter;
  readonly events: EventRecorder;
  readonly id: string;
}

function environmentOf({ flags, log, clock }: TimedOptions, parts: EnvironmentParts): Environment {
  const { cluster, artifacts, manager, stores, meter, events, id } = parts;
  const { kube } = cluster;
  const namespace = flags.operatorNamespace;
  const memories = {
    absences: new Absences(clock),
    convergence: new ConvergenceGuard(meter, clock),
    deletions: new DeletionTimes(clock, () => kube.serverNow()),
    refusedTries: new RefusedTries(),
    waitingUsers: new WaitingUsers(),
  };
  return {
    kube,
    objects: stores.objects,
    namespaces: stores.namespaces,
    coreSecrets: stores.coreSecrets,
    fluxSources: stores.fluxSources,
    artifacts,
    configMaps: stores.configMaps,
    sessions: new Sessions(),
    snapshots: new ProjectSnapshots(clock),
    ...memories,
    memories: Object.values(memories),
    withdrawals: new Withdrawals(kube, clock),
    sections: new SectionMemory(),
    driftChecks: new DriftChecks(clock),
    keyRing: new KeyRing(kube, namespace),
    releases: new Releases({ kube, events, namespace, deletions: memories.deletions, clock, log, meter }),
    events,
    enqueue: manager.enqueue,
    cluster: id,
    operatorPolicies: {
      driftPolicy: flags.driftPolicy,
      driftInterval: flags.driftInterval,
      managementPolicy: flags.managementPolicy,
    },
    clock,
    random: systemRandom,
    log,
    meter,
  };
}
