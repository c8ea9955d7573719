import type { Dispatcher } from "undici";
import type { Query } from "./resource-path.ts";

/** One request to the apiserver. */
export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For the answer as a whole, or for the head of a stream; milliseconds, default 30 000. */
  readonly deadlineMs?: number | undefined;
  /** Largest answer that is read; default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** Called right before the request goes out; what it throws is the result. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface KubeResponse {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Exchanges with one apiserver. Everything rejects with a KubeError, or with the reason of the request's signal when that aborts;
 * answers other than 2xx are errors.
 */
export interface KubeTransport {
  /** Base URL of the apiserver, for people. */
  readonly server: string;
  /** The namespace of the kubeconfig's context or of the pod, where there is one. */
  readonly namespace: string | undefined;
  request(request: KubeRequest): Promise<KubeResponse>;
  /** Resolves at the head of the answer; the body must be iterated, and ends with an error when the connection breaks. */
  stream(request: KubeRequest): Promise<AsyncIterable<Uint8Array>>;
  /** The apiserver's wall time by its last answer, milliseconds since the epoch; undefined before the first. */
  serverNow(): number | undefined;
  /** Ends all connections; what is under way fails. */
  close(): Promise<void>;
}

/** Where to send to and as whom. */
export interface Connection {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** Path of the apiserver behind some proxies; "" for most. */
  readonly basePath: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Gives connections with current credentials; transport.ts makes it from a kubeconfig. */
export interface ConnectionSource {
  readonly server: string;
  readonly namespace: string | undefined;
  current(): Promise<Connection>;
  /** The credentials of `refused` were answered 401: others, or undefined when there are no others. */
  renewed(refused: Connection): Promise<Connection | undefined>;
  close(): Promise<void>;
}
