import { Pacer } from "../../../src/api/pacing/pacer.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { connector } from "../../../src/cli/connector.ts";
import { connectionReconcilers } from "../../../src/controllers/connection/controller.ts";
import { Clients } from "../../../src/controllers/connection/credential.ts";
import type { Environment } from "../../../src/controllers/environment.ts";
import { findCondition } from "../../../src/controllers/shared/conditions.ts";
import { DeletionTimes } from "../../../src/controllers/shared/deletion-times.ts";
import { startEmulator } from "../../../src/emulator/emulator.ts";
import { finalizers } from "../../../src/resources/annotations.ts";
import { connectionKind } from "../../../src/resources/connection/kind.ts";
import type { Condition } from "../../../src/resources/meta.ts";
import type { Key } from "../../../src/runtime/key.ts";
import { classify, type Outcome } from "../../../src/runtime/outcome.ts";
import { type Keeping, startKeeping } from "../kube-server/keeping-client.ts";
import type { KeepingServer } from "../kube-server/keeping-server.ts";
import { storesWith, testEnvironment } from "./environment.ts";

const TOKEN = "token-of-somebody";
const API = "baas.dev/v1alpha1";
/** The one base URL that the operator of the bench may not use. */
export const FORBIDDEN_URL = "https://elsewhere.example.com";

interface SecretParts {
  readonly token?: string;
  readonly guarded?: boolean;
  readonly deletedForMs?: number;
}

interface ConnectionParts {
  readonly secret?: string;
  readonly deleted?: boolean;
  readonly spec?: object;
  /** whether objects depend on it, so that it has its finalizer; default true */
  readonly inUse?: boolean;
}

/** What the operator itself is let in with. */
interface OwnIdentity {
  /** of its ServiceAccount's token; default: there is no such file */
  readonly tokenFile?: string;
  /** namespaces whose Connections may use it; undefined: it has none */
  readonly namespaces: readonly string[] | undefined;
}

interface Looked {
  readonly outcome: Outcome;
  readonly environment: Environment;
  /** what the look asked to run */
  readonly asked: readonly Key[];
}

/** The reconciler of Connection between the emulator and an apiserver that keeps objects, look by look; all is in the namespace `ns`. */
export interface ConnectionBench extends AsyncDisposable {
  readonly server: KeepingServer;
  advance(ms: number): void;
  putNamespace(parts: { readonly deletedForMs?: number }): void;
  /** A Secret with the token; it has somebody else's finalizer too. */
  putSecret(name: string, parts?: SecretParts): void;
  putConnection(name: string, parts?: ConnectionParts): void;
  /** A Project that uses the Connection `default`, named by its timeout. */
  putDependent(deletionTimeout: string, deletedForMs?: number): void;
  removeDependent(deletionTimeout: string): void;
  /** A process that knows nothing yet, but for what was spent of the request budget, looks at a Connection once. */
  look(name?: string, credentialProtection?: boolean, own?: OwnIdentity): Promise<Looked>;
  /** whether a Secret has our finalizer */
  guarded(secret: string): boolean;
  /** `True Available`, as the Connection `default` says of a condition */
  says(type: string): string | undefined;
  /** The words of that condition. */
  words(type: string): string | undefined;
}

export async function openConnectionBench(): Promise<ConnectionBench> {
  const kept = await startKeeping();
  const { server, clock, kube } = kept;
  const random = seededRandom(5);
  const pacer = new Pacer({ clock, random, meter: silentMeter });
  const process = { ...kept, deletions: new DeletionTimes(clock, () => kube.serverNow()), random, pacer };
  const emulator = await startEmulator({ tokens: [TOKEN], clock });
  const deleted = (forMs: number | undefined): object =>
    forMs === undefined ? {} : { deletionTimestamp: new Date(clock.now() - forMs).toISOString() };
  const putNamespace: ConnectionBench["putNamespace"] = ({ deletedForMs }) => {
    const metadata = { name: "ns", finalizers: ["kubernetes"], ...deleted(deletedForMs) };
    server.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
  };
  putNamespace({});
  const projectName = (timeout: string): string => `project-${timeout}`;
  return {
    server,
    advance: (ms) => clock.advance(ms),
    putNamespace,
    putSecret: (name, { token = TOKEN, guarded = true, deletedForMs } = {}) => {
      const ours = guarded ? [finalizers.credential] : [];
      const metadata = { name, namespace: "ns", finalizers: ["example.com/else", ...ours], ...deleted(deletedForMs) };
      const data = { token: Buffer.from(token).toString("base64") };
      server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
    },
    putConnection: (name, { secret = "token", deleted: isDeleted = false, spec, inUse = true } = {}) => {
      const ours = inUse ? [finalizers.connectionInUse] : [];
      const metadata = { name, namespace: "ns", finalizers: ours, ...deleted(isDeleted ? 0 : undefined) };
      const declared = spec ?? { baseUrl: emulator.url, token: { secretRef: { name: secret } } };
      server.put("connections", { apiVersion: API, kind: "Connection", metadata, spec: declared });
    },
    putDependent: (deletionTimeout, deletedForMs) => {
      const name = projectName(deletionTimeout);
      const metadata = { name, namespace: "ns", finalizers: [finalizers.remote], ...deleted(deletedForMs) };
      const spec = { organization: "acme", deletionTimeout, connectionRef: { kind: "Connection", name: "default" } };
      server.put("projects", { apiVersion: API, kind: "Project", metadata, spec });
    },
    removeDependent: (deletionTimeout) => {
      const name = projectName(deletionTimeout);
      server.put("projects", { apiVersion: API, kind: "Project", metadata: { name, namespace: "ns", finalizers: [] } });
      server.delete("projects", "ns", name);
    },
    look: (name = "default", credentialProtection = true, own = { namespaces: ["trusted"] }) =>
      lookOnce(process, name, { credentialProtection, own }),
    guarded: (secret) =>
      server.get("secrets", "ns", secret)?.metadata.finalizers?.includes(finalizers.credential) === true,
    says: (type) => {
      const condition = conditionOf(server, type);
      return condition && `${condition.status} ${condition.reason}`;
    },
    words: (type) => conditionOf(server, type)?.message,
    [Symbol.asyncDispose]: async () => {
      await emulator.stop();
      await kept[Symbol.asyncDispose]();
    },
  };
}

interface LookingProcess extends Keeping {
  readonly deletions: DeletionTimes;
  readonly random: Random;
  readonly pacer: Pacer;
}

async function lookOnce(
  { server, kube, clock, deletions, random, pacer }: LookingProcess,
  name: string,
  { credentialProtection, own }: { readonly credentialProtection: boolean; readonly own: OwnIdentity },
): Promise<Looked> {
  const objects = ["namespaces", "secrets", "connections", "projects"].flatMap((plural) => server.list(plural));
  const asked: Key[] = [];
  const onEnqueue = (key: Key): void => void asked.push(key);
  const environment = testEnvironment({ kube, clock, deletions, stores: storesWith(objects), onEnqueue });
  const settings = { pacer, clock, random, log: silentLogger, meter: silentMeter, mayStart: () => true };
  const clients = new Clients(connector({ settings, workloadIdentityTokenFile: own.tokenFile }));
  const workloadIdentity = own.namespaces && { namespaces: own.namespaces };
  const operator = { namespace: "baas-system", process: "one", workloadIdentity };
  const allowsBaseUrl = (url: string): boolean => url !== FORBIDDEN_URL;
  const parts = { clients, operator, credentialProtection, allowsBaseUrl };
  const reconciler = connectionReconcilers(environment, parts).find(({ kind }) => kind === "Connection");
  if (reconciler === undefined) throw new RangeError("no reconciler of Connection");
  const { signal } = new AbortController();
  const common = { signal, log: silentLogger, wasReady: true, askedAgoMs: 0, reconcileId: "run", failures: 0 };
  try {
    const key = { kind: "Connection", namespace: "ns", name };
    const result = await reconciler.reconcile(key, { ...common, lane: "change", urgency: "change" });
    return { outcome: { kind: "done", result }, environment, asked };
  } catch (error) {
    return { outcome: classify(error, signal), environment, asked };
  } finally {
    await clients.close();
  }
}

function conditionOf(server: KeepingServer, type: string): Condition | undefined {
  const object = server.get("connections", "ns", "default");
  return object && findCondition(connectionKind.parseStatus(object).conditions, type);
}
