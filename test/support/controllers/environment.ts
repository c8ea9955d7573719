import { Artifacts } from "../../../src/artifacts/artifacts.ts";
import { Reach } from "../../../src/artifacts/reach.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { type Meter, silentMeter } from "../../../src/base/meter.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { type OpenStores, openStores } from "../../../src/cli/operator-stores.ts";
import type { Environment } from "../../../src/controllers/environment.ts";
import { RefusedTries } from "../../../src/controllers/requests/refused-tries.ts";
import { SectionMemory } from "../../../src/controllers/sections/memory.ts";
import { Absences } from "../../../src/controllers/shared/absences.ts";
import { ConvergenceGuard } from "../../../src/controllers/shared/convergence.ts";
import { DeletionTimes } from "../../../src/controllers/shared/deletion-times.ts";
import type { EventSink } from "../../../src/controllers/shared/event-sink.ts";
import { KeyRing } from "../../../src/controllers/shared/key-ring.ts";
import { CheckOfRun, DriftChecks } from "../../../src/controllers/shared/drift-checks.ts";
import { WaitingUsers } from "../../../src/controllers/shared/waiting-users.ts";
import { Releases } from "../../../src/controllers/shared/releases.ts";
import { Run } from "../../../src/controllers/shared/run.ts";
import { Sessions } from "../../../src/controllers/shared/sessions.ts";
import { ProjectSnapshots } from "../../../src/controllers/shared/snapshot.ts";
import { Withdrawals } from "../../../src/controllers/shared/withdrawals.ts";
import { type CommonStatus, StatusDraft } from "../../../src/controllers/shared/status-draft.ts";
import type { KindReader } from "../../../src/controllers/shared/object-store.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import { apiVersionOf, type KubeObject } from "../../../src/resources/meta.ts";
import { statusSchemaOf } from "../../../src/resources/kinds.ts";
import type { Enqueue } from "../../../src/runtime/reconciler.ts";
import { kubeconfigText } from "../kube-server/kubeconfig.ts";
import { asOpenRequest } from "../stage/open-requests.ts";

export type EventDraft = Parameters<EventSink["event"]>[0];

/** The operator's stores before anything is listed. */
export function emptyStores(): OpenStores {
  return openStores(silentLogger);
}

/** The operator's stores with objects in them, as after a start. */
export function storesWith(objects: readonly KubeObject[]): OpenStores {
  const stores = openStores(silentLogger);
  const { ours, coreSecrets, configMaps, namespaces, fluxSources } = stores;
  for (const store of [...ours, coreSecrets, configMaps, namespaces, ...fluxSources]) {
    const { kind } = store.type;
    const apiVersion = apiVersionOf(store.type);
    store.source().replace(
      objects.filter((object) => object.kind === kind && object.apiVersion === apiVersion),
      "1",
    );
  }
  return stores;
}

interface EnvironmentOptions {
  readonly clock: Clock;
  /** default: one whose server nobody listens on, for tests that ask it nothing */
  readonly kube?: KubeClient;
  readonly stores?: OpenStores;
  /** default: those of a process that has just started */
  readonly deletions?: DeletionTimes;
  readonly meter?: Meter;
  readonly onEvent?: (draft: EventDraft) => void;
  readonly onEnqueue?: Enqueue;
}

const ignore = (): void => undefined;

/** Artifacts whose reading is waited for before time goes on. */
class SeenArtifacts extends Artifacts {
  override read(...asked: Parameters<Artifacts["read"]>): ReturnType<Artifacts["read"]> {
    return asOpenRequest(super.read(...asked));
  }
}

/** What controllers are given, made of the real parts; only who listens to events and to what is enqueued is the test. */
export function testEnvironment(options: EnvironmentOptions): Environment {
  const { clock, meter = silentMeter, onEvent = ignore, onEnqueue = ignore } = options;
  const kube = options.kube ?? unreachable(clock);
  const stores = options.stores ?? openStores(silentLogger);
  const events: EventSink = { event: onEvent };
  const namespace = "baas-system";
  const memories = {
    absences: new Absences(clock),
    convergence: new ConvergenceGuard(meter, clock),
    deletions: options.deletions ?? new DeletionTimes(clock, () => kube.serverNow()),
    refusedTries: new RefusedTries(),
    waitingUsers: new WaitingUsers(),
  };
  return {
    kube,
    objects: stores.objects,
    namespaces: stores.namespaces,
    coreSecrets: stores.coreSecrets,
    fluxSources: stores.fluxSources,
    artifacts: new SeenArtifacts({ clock, reach: new Reach({ loopback: true }), mayStart: () => true }),
    configMaps: stores.configMaps,
    sessions: new Sessions(),
    snapshots: new ProjectSnapshots(clock),
    ...memories,
    memories: Object.values(memories),
    withdrawals: new Withdrawals(kube, clock),
    sections: new SectionMemory(),
    driftChecks: new DriftChecks(clock),
    keyRing: new KeyRing(kube, namespace),
    releases: new Releases({ kube, events, namespace, deletions: memories.deletions, clock, log: silentLogger, meter }),
    events,
    enqueue: onEnqueue,
    cluster: "cluster",
    operatorPolicies: {},
    clock,
    random: seededRandom(11),
    log: silentLogger,
    meter,
  };
}

function unreachable(clock: Clock): KubeClient {
  const text = kubeconfigText({ server: "http://127.0.0.1:1", user: { token: "any" } });
  const transport = createKubeTransport({
    kubeConfig: { kind: "text", text },
    clock,
    log: silentLogger,
    meter: silentMeter,
  });
  return createKubeClient({ transport, clock, random: seededRandom(11), log: silentLogger });
}

/** A run of an object, as the pipeline begins one. */
export function runOf<Spec, Status extends CommonStatus>(
  environment: Environment,
  kind: KindReader<Spec, Status>,
  object: KubeObject,
): Run<Status> {
  const { namespace = "", name, generation = 0 } = object.metadata;
  const stored = typeof object["status"] === "object" && object["status"] !== null ? object["status"] : {};
  const moment = { nowMs: environment.clock.now(), generation, schema: statusSchemaOf(kind.type.kind) };
  return new Run({
    environment,
    key: { kind: object.kind, namespace, name },
    type: kind.type,
    raw: object,
    status: new StatusDraft(kind.parseStatus(object), stored, moment),
    signal: new AbortController().signal,
    log: silentLogger,
    lane: "change",
    urgency: "change",
    isAsked: false,
    check: new CheckOfRun(environment.driftChecks, () => undefined),
    askedAtMs: environment.clock.monotonic(),
    due: new Set(),
    protect: () => Promise.resolve(undefined),
  });
}
