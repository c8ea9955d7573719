import { silentLogger } from "../../../src/base/log.ts";
import { ManualClock } from "../../../src/base/manual-clock.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import { KeepingServer } from "./keeping-server.ts";
import { kubeconfigText } from "./kubeconfig.ts";

/** A server that keeps objects, and a client of it whose time the test drives. */
export interface Keeping extends AsyncDisposable {
  readonly server: KeepingServer;
  readonly clock: ManualClock;
  readonly kube: KubeClient;
}

interface KeepingOptions {
  readonly mayRead?: () => boolean;
}

export async function startKeeping(options: KeepingOptions = {}): Promise<Keeping> {
  const clock = new ManualClock();
  const server = await KeepingServer.start(() => clock.now());
  const text = kubeconfigText({ server: server.url, user: { token: "any" } });
  const transport = createKubeTransport({
    kubeConfig: { kind: "text", text },
    clock,
    log: silentLogger,
    meter: silentMeter,
  });
  return {
    server,
    clock,
    kube: createKubeClient({ transport, clock, log: silentLogger, random: () => 0.5, ...options }),
    [Symbol.asyncDispose]: async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
