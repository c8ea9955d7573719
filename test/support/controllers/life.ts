import { setTimeout as wait } from "node:timers/promises";
import { type ApiClient, createClient } from "../../../src/api/client.ts";
import { PersonalToken } from "../../../src/api/credentials/personal-token.ts";
import { Pacer } from "../../../src/api/pacing/pacer.ts";
import { type Logger, silentLogger } from "../../../src/base/log.ts";
import { ManualClock } from "../../../src/base/manual-clock.ts";
import { type Meter, silentMeter } from "../../../src/base/meter.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { connector } from "../../../src/cli/connector.ts";
import { openStores } from "../../../src/cli/operator-stores.ts";
import { Clients } from "../../../src/controllers/connection/credential.ts";
import { createReconcilers } from "../../../src/controllers/controllers.ts";
import type { Environment } from "../../../src/controllers/environment.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../src/emulator/emulator.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import { finalizers } from "../../../src/resources/annotations.ts";
import { classify, type Outcome } from "../../../src/runtime/outcome.ts";
import type { Enqueue, EnqueueOptions, Reconciler } from "../../../src/runtime/reconciler.ts";
import type { Key } from "../../../src/runtime/key.ts";
import type { Lane } from "../../../src/runtime/lane.ts";
import { type EventDraft, testEnvironment } from "./environment.ts";
import { KeepingServer } from "../kube-server/keeping-server.ts";
import { kubeconfigText } from "../kube-server/kubeconfig.ts";

/**
 * test/support/controllers: reconcilers between two loopback servers, the emulator and an apiserver that keeps objects, with time driven by
 * the test. No queue, no watch: the test says what runs and when, so that it can end a life of the operator between any two requests.
 */

/** Where lives of the operator are played: what outlasts each of them. */
export interface Theatre extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly kubernetes: KeepingServer;
  readonly emulator: Emulator;
  /** Lets time pass. What the platform then does takes the machine's time, which is waited for. @param ms milliseconds */
  pass(ms: number): Promise<void>;
  /**
   * A new life, which knows nothing of earlier ones.
   *
   * @param requests how many requests, to both servers together, it may begin before it dies; default as many as it likes. Reads of the
   *   apiserver are not counted
   */
  life(requests?: number): Promise<Life>;
}

/** Whether what is left to be done waits for somebody to have the project run. */
export function awaitsProject(outcome: Outcome): boolean {
  return outcome.kind === "waiting" && outcome.message.endsWith("once the project runs");
}

/** How long a loopback answer may take, milliseconds of real time, before time goes on. */
const STEP_MS = 5;
/** How far it then goes on, milliseconds. */
const STEP_OF_TIME_MS = 200;

export const NAMESPACE = "test";
const TOKEN = "token";

/** A connection that is marked as in use, so that nothing waits for that. */
const connection = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Connection",
  metadata: { name: "default", namespace: NAMESPACE, finalizers: [finalizers.connectionInUse] },
  spec: { baseUrl: "http://127.0.0.1", token: { secretRef: { name: "token" } } },
} as const;

interface TheatreOptions {
  /**
   * whether Connections are the operator's own business, as all else is, in whatever namespaces the test puts them. Default: the one of the
   * namespace `test` is open in every life
   */
  readonly ownConnections?: boolean;
  /** where each run is told; default: nowhere */
  readonly log?: Logger;
  /** where controllers count; default: nowhere */
  readonly meter?: Meter;
  /** how far the apiserver's date is ahead of the operator's, milliseconds; default 0 */
  readonly apiserverAheadMs?: number;
  /** called before each request of any life that is counted: what it does has happened when the request arrives. Default: nothing */
  readonly onRequest?: () => void;
  /** of the operator's ServiceAccount token, which Connections of the namespace `test` may use; default: it has none */
  readonly workloadIdentityTokenFile?: string | undefined;
}

export async function openTheatre(
  options: EmulatorOptions = {},
  theatreOptions: TheatreOptions = {},
): Promise<Theatre> {
  const {
    ownConnections = false,
    log = silentLogger,
    meter = silentMeter,
    onRequest = () => undefined,
    apiserverAheadMs = 0,
    workloadIdentityTokenFile,
  } = theatreOptions;
  await using stack = new AsyncDisposableStack();
  const clock = new ManualClock();
  const kubernetes = stack.use(await KeepingServer.start(() => clock.now() + apiserverAheadMs));
  const emulator = await startEmulator({ tokens: [TOKEN], clock, random: seededRandom(7), ...options });
  stack.defer(() => emulator.stop());
  if (!ownConnections) {
    kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
    kubernetes.put("connections", connection);
  }
  const owned = stack.move();
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await emulator.idle();
  };
  return {
    clock,
    kubernetes,
    emulator,
    pass,
    life: async (requests = Infinity) => {
      const shared = { clock, kubernetes, emulator, pass, ownConnections, log, meter, onRequest };
      const life = owned.use(new Life({ ...shared, requests, workloadIdentityTokenFile }));
      await life.begin();
      return life;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface LifeOptions
  extends
    Pick<Theatre, "clock" | "kubernetes" | "emulator" | "pass">,
    Required<Omit<TheatreOptions, "apiserverAheadMs">> {
  readonly requests: number;
}

/** What was asked to run, besides what the test itself runs. */
interface Asked {
  readonly key: Key;
  readonly options: EnqueueOptions;
}

/** One life of the operator's reconcilers. */
export class Life implements AsyncDisposable {
  readonly environment: Environment;
  readonly events: EventDraft[] = [];
  readonly asked: Asked[] = [];
  /** Default: noted in `asked`. */
  onEnqueue: Enqueue = (key, options) => void this.asked.push({ key, options });
  readonly #options: LifeOptions;
  readonly stores = openStores(silentLogger);
  readonly #transport: ReturnType<typeof createKubeTransport>;
  /** The one that its connection is open with. */
  readonly client: ApiClient;
  readonly #clients: Clients;
  readonly reconcilers: readonly Reconciler[];
  readonly #lists: ReadonlyMap<string, (objects: ReturnType<KeepingServer["list"]>, version: string) => void>;
  #left: number;
  #begun = 0;

  constructor(options: LifeOptions) {
    const { clock, kubernetes, emulator } = options;
    this.#options = options;
    this.#left = Infinity; // until it has begun
    const text = kubeconfigText({ server: kubernetes.url, user: { token: "any" } });
    const common = { clock, log: silentLogger, random: seededRandom(11) };
    this.#transport = createKubeTransport({ kubeConfig: { kind: "text", text }, meter: silentMeter, ...common });
    const kube = createKubeClient({
      transport: this.#transport,
      observer: this.stores.set,
      mayWrite: () => this.#spend(),
      ...common,
    });
    const pacer = new Pacer({ clock, random: common.random, meter: silentMeter });
    const settings = { pacer, meter: silentMeter, mayStart: () => this.#spend(), ...common };
    this.client = createClient({ baseUrl: emulator.url, credentials: new PersonalToken(TOKEN), ...settings });
    const { workloadIdentityTokenFile: tokenFile } = options;
    this.#clients = new Clients(connector({ settings, workloadIdentityTokenFile: tokenFile }));
    const workloadIdentity = tokenFile === undefined ? undefined : { namespaces: [NAMESPACE] };
    const { ours, coreSecrets, configMaps, namespaces, fluxSources } = this.stores;
    this.#lists = new Map(
      [...ours, coreSecrets, configMaps, namespaces, ...fluxSources].map((store) => {
        const source = store.source();
        const plural = `${store.type.group}/${store.type.plural}`;
        return [plural, (objects, version) => source.replace(objects, version)];
      }),
    );
    this.environment = testEnvironment({
      kube,
      stores: this.stores,
      clock,
      meter: options.meter,
      onEvent: (draft) => void this.events.push(draft),
      onEnqueue: (key, asked) => this.onEnqueue(key, asked),
    });
    const parts = {
      clients: this.#clients,
      operator: { namespace: "baas-system", process: "one", workloadIdentity },
      credentialProtection: true,
      allowsBaseUrl: () => true,
    };
    this.reconcilers = createReconcilers(this.environment, parts).filter(
      ({ kind }) => options.ownConnections || !kind.endsWith("Connection"),
    );
  }

  /** Requests that it has begun, the uncounted reads aside. */
  get begun(): number {
    return this.#begun;
  }

  /** Whether it may begin no request any more. */
  get dead(): boolean {
    return this.#left <= 0;
  }

  /** Opens the connection, as its controller would where that is no part of the theatre. */
  async begin(): Promise<void> {
    if (!this.#options.ownConnections) await this.#open();
    this.#begun = 0;
    this.#left = this.#options.requests;
    this.look();
  }

  async #open(): Promise<void> {
    const { userId } = await this.client.identity();
    this.environment.sessions.set({
      id: `Connection/${NAMESPACE}/default`,
      kind: "Connection",
      name: "default",
      generation: 1,
      client: this.client,
      server: connection.spec.baseUrl,
      account: userId,
      defaults: undefined,
      reservedSecretPrefix: "PLATFORM_",
      allowedOrganizations: undefined,
      allowedRefs: undefined,
      deletionOnly: false,
    });
  }

  /** Sees what the apiserver has now, as its watches would. */
  look(): void {
    const { kubernetes } = this.#options;
    for (const [groupPlural, replace] of this.#lists) {
      const plural = groupPlural.slice(groupPlural.indexOf("/") + 1);
      const group = groupPlural.slice(0, groupPlural.indexOf("/"));
      const objects = kubernetes.list(plural).filter(({ apiVersion }) => groupOf(apiVersion) === group);
      replace(objects, kubernetes.version);
    }
  }

  /** One run of one object, which sees what the apiserver has now. Never rejects. */
  async run(kind: string, name: string, lane: Lane = "change"): Promise<Outcome> {
    this.look();
    return this.runUnseen(kind, name, lane);
  }

  /** As `run`, with what was seen last, as where a watch lags behind. */
  async runUnseen(kind: string, name: string, lane: Lane = "change"): Promise<Outcome> {
    const reconciler = this.reconcilers.find((candidate) => candidate.kind === kind);
    if (reconciler === undefined) throw new RangeError(`no reconciler of ${kind}`);
    const { signal } = new AbortController();
    const { log } = this.#options;
    const asked = { lane, urgency: lane, wasReady: true, askedAgoMs: 0 };
    const context = { signal, log, ...asked, reconcileId: "run", failures: 0 };
    try {
      const result = await reconciler.reconcile({ kind, namespace: NAMESPACE, name }, context);
      return { kind: "done", result };
    } catch (error) {
      return classify(error, signal);
    }
  }

  /** As `run`, while time passes on: for runs that wait within, as for a repeated request. */
  async runWhileTimePasses(kind: string, name: string, lane: Lane = "change"): Promise<Outcome> {
    const running = this.run(kind, name, lane);
    const ended = running.then(() => true);
    // Real requests are answered in real time; when nothing came of that, time goes on.
    while (!(await Promise.race([ended, wait(STEP_MS, false)]))) await this.#options.pass(STEP_OF_TIME_MS);
    return running;
  }

  /**
   * Runs an object, letting time pass as its runs ask, until there is nothing left but to look again some day: it is as declared, or somebody
   * must act. Dead lives do nothing.
   *
   * @throws Error after too many runs
   */
  async settle(kind: string, name: string): Promise<Outcome> {
    for (let run = 0; run < 100; run += 1) {
      const outcome = await this.run(kind, name, run === 0 ? "change" : "progress");
      if (this.dead || outcome.kind === "done" || outcome.kind === "terminal" || awaitsProject(outcome)) return outcome;
      const waitMs = "retryAfterMs" in outcome ? (outcome.retryAfterMs ?? 1000) : 1000;
      await this.#options.pass(waitMs);
    }
    throw new Error(`${kind} ${name} does not come to rest`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.environment.artifacts[Symbol.asyncDispose]();
    await this.client.close();
    await this.#clients.close();
    await this.#transport.close();
  }

  #spend(): boolean {
    if (this.dead) return false;
    this.#left -= 1;
    this.#begun += 1;
    this.#options.onRequest();
    return true;
  }
}

function groupOf(apiVersion: string): string {
  const at = apiVersion.indexOf("/");
  return at === -1 ? "" : apiVersion.slice(0, at);
}
