import { silentLogger } from "../../../src/base/log.ts";
import type { Logger } from "../../../src/base/log.ts";
import { ManualClock } from "../../../src/base/manual-clock.ts";
import { type Meter, silentMeter } from "../../../src/base/meter.ts";
import { silentTracer, type Tracer } from "../../../src/base/tracer.ts";
import type { KubeClient, WriteObserver } from "../../../src/kube/client.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import type { KubeTransport } from "../../../src/kube/exchange.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import { KubeServer } from "./kube-server.ts";
import { kubeconfigText } from "./kubeconfig.ts";

/** A scripted server, and a client of it whose time the test drives. */
export interface Connected extends AsyncDisposable {
  readonly server: KubeServer;
  readonly clock: ManualClock;
  readonly transport: KubeTransport;
  readonly client: KubeClient;
}

interface ConnectOptions {
  readonly observer?: WriteObserver;
  readonly mayWrite?: () => boolean;
  readonly mayRead?: () => boolean;
  readonly log?: Logger;
  /** where requests are counted; default: nowhere */
  readonly meter?: Meter;
  /** where requests are traced; default: nowhere */
  readonly tracer?: Tracer;
}

/** Starts both. Jitter is always half of its range. */
export async function connected(options: ConnectOptions = {}): Promise<Connected> {
  const server = await KubeServer.start();
  const clock = new ManualClock();
  const { log = silentLogger, meter = silentMeter, tracer = silentTracer, ...clientOptions } = options;
  const text = kubeconfigText({ server: server.url, user: { token: "secret-token" } });
  const transport = createKubeTransport({ kubeConfig: { kind: "text", text }, clock, log, meter, tracer });
  const client = createKubeClient({ transport, clock, log, random: () => 0.5, ...clientOptions });
  return {
    server,
    clock,
    transport,
    client,
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
