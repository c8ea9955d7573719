import { fastify } from "fastify";
import type { Logger } from "../base/log.ts";
import { errorFields } from "../base/error-facts.ts";

/** What is wrong, in a few words each; nothing wrong is an empty list. Must answer at once, from memory. */
export type Check = () => readonly string[];

export interface HealthServerOptions {
  /** Address to listen on; "0.0.0.0" or "::" inside a container. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /**
   * What /healthz fails for: a loop of this process that is stuck or ended, which only a restart cures. Never the state of a server that
   * we talk to: a restart cures nothing there, and costs the caches.
   */
  readonly liveness: Check;
  /** What /readyz fails for: caches that are not in sync. A standby is ready. */
  readonly readiness: Check;
  /** The text of /metrics. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  readonly log: Logger;
}

export interface HealthServer {
  /** Base URL, with the port that was found. */
  readonly url: string;
  /** Closes it, with connections that idle. */
  stop(): Promise<void>;
}

/**
 * Serves /healthz, /readyz and /metrics over plain HTTP to kubelet and scrapers. Source: engine.md §8.
 *
 * A blocked event loop needs no check of its own: then nothing is answered, and kubelet's timeout is the failure.
 *
 * @throws Error with Node's code (EADDRINUSE, EACCES) when the address cannot be listened on
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port, liveness, readiness, metrics, log } = options;
  const server = fastify({ logger: false, forceCloseConnections: "idle", requestTimeout: 10_000, bodyLimit: 1024 });
  const probe = (path: string, check: Check): void => {
    server.get(path, (_request, reply) => {
      const wrong = run(check);
      void reply
        .code(wrong.length === 0 ? 200 : 503)
        .header("cache-control", "no-store")
        .type("text/plain; charset=utf-8");
      return wrong.length === 0 ? "ok\n" : `${wrong.join("\n")}\n`;
    });
  };
  probe("/healthz", liveness);
  probe("/readyz", readiness);
  server.get("/metrics", async (_request, reply) => {
    const { contentType, body } = await metrics();
    void reply.type(contentType);
    return body;
  });
  server.setErrorHandler((error, _request, reply) => {
    log.error(errorFields(error), "a probe or scrape failed");
    return reply.code(500).type("text/plain; charset=utf-8").send("internal error\n");
  });
  const url = await server.listen({ host, port });
  return { url, stop: () => server.close() };
}

/** A check that throws is a finding: something in this process is broken. */
function run(check: Check): readonly string[] {
  try {
    return check();
  } catch (error) {
    const message = error instanceof Error ? error.message : "thrown value";
    return [`check failed: ${message}`];
  }
}
