import { createHash } from "node:crypto";
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import type { Dispatcher } from "undici";
import { Agent, ProxyAgent } from "undici";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { errorFields } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import type { ProxySettings } from "../base/proxy.ts";
import { hostOf, isLoopbackHost, proxyFor } from "../base/proxy.ts";
import type { Tracer } from "../base/tracer.ts";
import type { Connection, ConnectionSource, KubeTransport } from "./exchange.ts";
import { HttpTransport } from "./http.ts";

/** Where the address of the apiserver and the credentials come from. All but `inCluster` may name another context than the current one. */
export type KubeConfigSource =
  /** As kubectl: KUBECONFIG, else ~/.kube/config, else the pod's ServiceAccount. */
  | { readonly kind: "default"; readonly context?: string }
  | { readonly kind: "file"; readonly path: string; readonly context?: string }
  /** A kubeconfig as text. */
  | { readonly kind: "text"; readonly text: string; readonly context?: string }
  | { readonly kind: "inCluster" };

interface KubeTransportOptions {
  readonly kubeConfig: KubeConfigSource;
  /** Used unless the kubeconfig names a proxy itself. */
  readonly proxy?: ProxySettings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: Meter;
  readonly tracer?: Tracer;
  /** Names the program in the apiserver's audit log. */
  readonly userAgent?: string;
}

/** For how long credentials are used without asking client-node again; it re-reads token files once a minute itself. */
const CREDENTIALS_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** How long a connection is kept that nobody uses: a handshake costs both sides more than a request, and the apiserver ends idle ones after 90 s. */
const IDLE_CONNECTION_MS = 30_000;

/**
 * The connection to an apiserver: one undici agent, credentials from client-node (client certificates, tokens, rotated token files,
 * exec plugins; OIDC while its token is valid, since this version of client-node fails to renew one), private CAs, and proxies (`proxy-url` of the
 * kubeconfig, else HTTPS_PROXY and NO_PROXY).
 *
 * Throws when the kubeconfig cannot be read or names no server, and for http: other than on loopback, where a token would be readable on
 * the way.
 */
export function createKubeTransport(options: KubeTransportOptions): KubeTransport {
  const { clock, log, meter, tracer } = options;
  return new HttpTransport({ source: new KubeConfigConnections(options), clock, log, meter, tracer });
}

/** What client-node fills in of a request: the same material serves an undici agent. */
interface KubeCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial;
}

type TlsMaterial = Pick<
  RequestOptions,
  "ca" | "cert" | "key" | "pfx" | "passphrase" | "rejectUnauthorized" | "servername"
>;

interface Current {
  readonly connection: Connection;
  readonly expiresMs: number;
}

/** One dispatcher at a time; another one when the TLS material changes, the old one ending once its requests have. */
class KubeConfigConnections implements ConnectionSource {
  readonly #options: KubeTransportOptions;
  #kubeConfig: KubeConfig;
  #dispatcher: { readonly fingerprint: string; readonly dispatcher: Dispatcher } | undefined;
  #current: Current | undefined;
  /** Shared by everybody who asks meanwhile: an exec plugin runs once, not once a request. */
  #refreshing: Promise<Connection> | undefined;

  constructor(options: KubeTransportOptions) {
    this.#options = options;
    this.#kubeConfig = loadKubeConfig(options.kubeConfig);
  }

  get server(): string {
    return serverOf(this.#kubeConfig).href;
  }

  get namespace(): string | undefined {
    return this.#kubeConfig.getContextObject(this.#kubeConfig.getCurrentContext())?.namespace;
  }

  async current(): Promise<Connection> {
    if (this.#current !== undefined && this.#options.clock.monotonic() < this.#current.expiresMs) {
      return this.#current.connection;
    }
    return await this.#refresh();
  }

  async renewed(refused: Connection): Promise<Connection | undefined> {
    // Another request may have been refused, and the credentials renewed, while this one waited for its answer.
    if (this.#current === undefined || this.#current.connection === refused) {
      this.#kubeConfig = loadKubeConfig(this.#options.kubeConfig);
      this.#current = undefined;
    }
    const connection = await this.current();
    const same =
      connection.dispatcher === refused.dispatcher &&
      connection.headers["authorization"] === refused.headers["authorization"];
    return same ? undefined : connection;
  }

  async close(): Promise<void> {
    await this.#dispatcher?.dispatcher.destroy();
  }

  #refresh(): Promise<Connection> {
    this.#refreshing ??= this.#connect().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #connect(): Promise<Connection> {
    const { clock, userAgent } = this.#options;
    const kubeConfig = this.#kubeConfig;
    const { headers, tls } = await readCredentials(kubeConfig);
    const server = serverOf(kubeConfig);
    const connection: Connection = {
      dispatcher: this.#dispatcherFor(server, tls),
      origin: server.origin,
      basePath: server.pathname.replace(/\/$/, ""),
      headers: { "user-agent": userAgent ?? "baas-operator", ...headers },
    };
    this.#current = { connection, expiresMs: clock.monotonic() + CREDENTIALS_MS };
    return connection;
  }

  #dispatcherFor(server: URL, tls: TlsMaterial): Dispatcher {
    const proxy = this.#kubeConfig.getCurrentCluster()?.proxyUrl ?? proxyFor(server, this.#options.proxy ?? {});
    const fingerprint = fingerprintOf([server.href, proxy, tls]);
    if (this.#dispatcher?.fingerprint === fingerprint) return this.#dispatcher.dispatcher;
    // Closing waits for what is under way; watches on it end by themselves, at the latest with their server-side timeout.
    this.#dispatcher?.dispatcher.close().catch((error: unknown) => {
      this.#options.log.debug(errorFields(error), "closing replaced connections to the apiserver failed");
    });
    const dispatcher = createDispatcher(proxy, tls);
    this.#dispatcher = { fingerprint, dispatcher };
    return dispatcher;
  }
}

/**
 * HTTP/1.1 on purpose: each watch and each request under way has a connection of its own, so that none that dies takes others along. Under
 * HTTP/2, Node.js makes a stream that nobody listens to of an answer to an aborted request; when its session then fails, that is an
 * uncaught exception, and the process ends.
 */
function createDispatcher(proxy: string | undefined, tls: TlsMaterial): Dispatcher {
  const tlsOptions = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  const shared = {
    allowH2: false,
    // Deadlines are the transport's own, on its Clock; a watch may be silent for as long as its reader allows.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAliveTimeout: IDLE_CONNECTION_MS,
  };
  if (proxy !== undefined) return new ProxyAgent({ ...shared, uri: proxy, requestTls: tlsOptions });
  return new Agent({ ...shared, connect: { ...tlsOptions, keepAlive: true, keepAliveInitialDelay: 15_000 } });
}

/** What a YAML parser tells of where it stopped. */
const parserMark = z.object({ mark: z.object({ line: z.number(), column: z.number() }) });

/** The parser quotes the lines around a mistake, which is where the credentials stand: only the place is told. */
function withoutQuotedLines(error: unknown): unknown {
  const { data } = parserMark.safeParse(error);
  if (data === undefined) return error;
  const { line, column } = data.mark;
  return new Error(`the kubeconfig is no YAML: line ${line + 1}, column ${column + 1}`);
}

function loadKubeConfig(source: KubeConfigSource): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    loadInto(kubeConfig, source);
  } catch (error) {
    throw withoutQuotedLines(error);
  }
  if (source.kind !== "inCluster" && source.context !== undefined) kubeConfig.setCurrentContext(source.context);
  // client-node takes http: only together with this; serverOf decides where http: is fine.
  kubeConfig.clusters = kubeConfig.clusters.map((cluster) =>
    cluster.server.startsWith("http:") ? { ...cluster, skipTLSVerify: true } : cluster,
  );
  serverOf(kubeConfig);
  return kubeConfig;
}

function loadInto(kubeConfig: KubeConfig, source: KubeConfigSource): void {
  switch (source.kind) {
    case "default":
      kubeConfig.loadFromDefault();
      break;
    case "file":
      kubeConfig.loadFromFile(source.path);
      break;
    case "text":
      kubeConfig.loadFromString(source.text);
      break;
    case "inCluster":
      kubeConfig.loadFromCluster();
      break;
    default:
      source satisfies never;
  }
}

/** @param context as client-node has it: undefined, whatever its type says, where the file names none */
function withoutCluster(context: string | undefined): string {
  return context === undefined || context === ""
    ? "the kubeconfig names no current-context"
    : `the kubeconfig has no context named "${context}" with a cluster`;
}

function serverOf(kubeConfig: KubeConfig): URL {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw new Error(withoutCluster(kubeConfig.getCurrentContext()));
  const server = new URL(cluster.server);
  const safe = server.protocol === "https:" || (server.protocol === "http:" && isLoopbackHost(hostOf(server)));
  if (!safe) throw new Error(`refusing ${server.protocol} to ${server.host}: credentials would be readable on the way`);
  return server;
}

async function readCredentials(kubeConfig: KubeConfig): Promise<KubeCredentials> {
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // A token from a file ends with a line end, which no header may carry.
    if (typeof value === "string") headers[name.toLowerCase()] = value.trim();
  }
  if (typeof options.auth === "string") {
    headers["authorization"] = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  }
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
  return { headers, tls: { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } };
}

function fingerprintOf(material: unknown): string {
  return createHash("sha256").update(JSON.stringify(material)).digest("base64");
}
