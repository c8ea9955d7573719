import { Pacer } from "../../../src/api/pacing/pacer.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { ManualClock } from "../../../src/base/manual-clock.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { connector } from "../../../src/cli/connector.ts";
import { connectionReconcilers } from "../../../src/controllers/connection/controller.ts";
import { Clients } from "../../../src/controllers/connection/credential.ts";
import { keptName } from "../../../src/controllers/connection/kept-secret.ts";
import type { Environment } from "../../../src/controllers/environment.ts";
import { classify, type Outcome } from "../../../src/runtime/outcome.ts";
import type { EmulatorUnderTest } from "../emulator/api.ts";
import { CLIENT, emulatorWithApps, someTokens } from "../emulator/oauth.ts";
import { startKeeping } from "../kube-server/keeping-client.ts";
import type { KeepingServer } from "../kube-server/keeping-server.ts";
import { storesWith, testEnvironment } from "./environment.ts";

interface Looked {
  readonly outcome: Outcome;
  readonly environment: Environment;
}

/** What one process knows, look by look. */
interface OperatorProcess {
  /** @param onChange told of what the run changes */
  look(onChange?: () => void): Promise<Looked>;
}

/** The Connection `ns/default` of an app, between the emulator, which rotates its refresh tokens, and an apiserver that keeps objects. */
export interface OAuthBench extends AsyncDisposable {
  readonly server: KeepingServer;
  readonly under: EmulatorUnderTest;
  readonly clock: ManualClock;
  /** Puts the Connection there, and the user's Secret with a new consent. */
  consent(): Promise<void>;
  /** The Connection is made anew under its name: another uid. */
  replaceConnection(): void;
  startProcess(name: string): OperatorProcess;
  /** the newest refresh token in the operator's own Secret */
  keptToken(): string | undefined;
}

/** Where the operator keeps the refresh token of the Connection. */
export const KEPT_PLACE = { namespace: "ns", name: keptName("Connection", "default") };
const NAME = { name: "default", namespace: "ns" } as const;

export async function openOAuthBench(): Promise<OAuthBench> {
  const kept = await startKeeping();
  const { server, clock } = kept;
  const under = await emulatorWithApps({ clock });
  const running: Clients[] = [];
  server.put("namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "ns", finalizers: ["kubernetes"] },
  });
  const putConnection = (): void => {
    const { url: baseUrl } = under.emulator;
    const refreshToken = { secretRef: { name: "app", key: "refresh" } };
    const oauth = { clientId: CLIENT.client_id, clientSecret: { secretRef: { name: "app" } }, refreshToken };
    server.put("connections", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Connection",
      metadata: NAME,
      spec: { baseUrl, oauth },
    });
  };
  return {
    server,
    under,
    clock,
    consent: async () => {
      const data = { "client-secret": CLIENT.client_secret, refresh: (await someTokens(under)).refresh_token };
      const metadata = { name: "app", namespace: "ns" };
      server.delete("secrets", "ns", "app");
      server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: data });
      putConnection();
    },
    replaceConnection: () => {
      server.put("connections", {
        apiVersion: "baas.dev/v1alpha1",
        kind: "Connection",
        metadata: { ...NAME, finalizers: [] },
      });
      server.delete("connections", "ns", "default");
      putConnection();
    },
    startProcess: (name) => {
      const clients = clientsOf(clock);
      running.push(clients);
      return { look: (onChange = () => undefined) => lookOnce(kept, { clients, process: name, onChange }) };
    },
    keptToken: () => {
      const data: unknown = server.get("secrets", "ns", KEPT_PLACE.name)?.["data"];
      if (typeof data !== "object" || data === null || !("refresh-token" in data)) return undefined;
      return Buffer.from(String(data["refresh-token"]), "base64").toString("utf8");
    },
    [Symbol.asyncDispose]: async () => {
      for (const clients of running) await clients.close();
      await under[Symbol.asyncDispose]();
      await kept[Symbol.asyncDispose]();
    },
  };
}

/** Clients of one process. */
export function clientsOf(clock: ManualClock): Clients {
  const random = seededRandom(5);
  const pacer = new Pacer({ clock, random, meter: silentMeter });
  const settings = { pacer, clock, random, log: silentLogger, meter: silentMeter, mayStart: () => true };
  return new Clients(connector({ settings, workloadIdentityTokenFile: undefined }));
}

interface Looking {
  readonly clients: Clients;
  readonly process: string;
  readonly onChange: () => void;
}

async function lookOnce(
  { server, kube, clock }: Awaited<ReturnType<typeof startKeeping>>,
  { clients, process, onChange }: Looking,
): Promise<Looked> {
  const objects = ["namespaces", "secrets", "connections"].flatMap((plural) => server.list(plural));
  const environment = testEnvironment({ kube, clock, stores: storesWith(objects) });
  const operator = { namespace: "baas-system", process, workloadIdentity: undefined };
  const parts = { clients, operator, credentialProtection: true, allowsBaseUrl: () => true };
  const reconciler = connectionReconcilers(environment, parts).find(({ kind }) => kind === "Connection");
  if (reconciler === undefined) throw new RangeError("no reconciler of Connection");
  const { signal } = new AbortController();
  const common = {
    signal,
    log: silentLogger,
    wasReady: true,
    askedAgoMs: 0,
    reconcileId: "run",
    failures: 0,
    changed: onChange,
  };
  try {
    const key = { kind: "Connection", ...NAME };
    const result = await reconciler.reconcile(key, { ...common, lane: "change", urgency: "change" });
    return { outcome: { kind: "done", result }, environment };
  } catch (error) {
    return { outcome: classify(error, signal), environment };
  }
}
