import { getCACertificates } from "node:tls";
import { Agent, ProxyAgent } from "undici";
import type { Dispatcher } from "undici";
import { type ProxySettings, proxyFor } from "../base/proxy.ts";
import type { BaseUrl } from "./base-url.ts";

export interface DispatcherOptions {
  readonly baseUrl: BaseUrl;
  /** PEM certificates that are trusted beside the usual ones */
  readonly ca?: string;
  readonly proxy?: ProxySettings;
  /** most connections to the server */
  readonly connections: number;
}

/** Longest time to connect, milliseconds. Also bounded by the deadline of the call. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Idle connections are dropped before the usual servers and load balancers drop them: a POST on a dead connection is lost. */
const KEEP_ALIVE_MS = 4000;

/**
 * One long-lived pool of connections to one server: keep-alive, no pipelining, HTTP/1.1 alone, so that the failure of a connection is the
 * failure of one request. Its own timers for answers are off, since deadlines are ours and run on Clock.
 *
 * Which servers are reached through a proxy, base/proxy.ts says for all of the program.
 */
export function createDispatcher({ baseUrl, ca, proxy = {}, connections }: DispatcherOptions): Dispatcher {
  const trust = ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] };
  const options = {
    connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: 10 * KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS, ...trust },
  };
  const uri = proxyFor(new URL(baseUrl.origin), proxy);
  return uri === undefined
    ? new Agent(options)
    : new ProxyAgent({ ...options, uri, requestTls: trust, proxyTls: trust });
}
