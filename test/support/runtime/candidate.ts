import { silentLogger } from "../../../src/base/log.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { systemRandom } from "../../../src/base/random.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import { createLeaseClient } from "../../../src/kube/leases.ts";
import type { ObjectId } from "../../../src/kube/resource-path.ts";
import { createKubeTransport, type KubeConfigSource } from "../../../src/kube/transport.ts";
import { LeaderElector, type LeaseTimes, newIdentity } from "../../../src/runtime/leader-election.ts";

/** test/support/runtime: candidates for a lease, what they write, and a server that keeps one. */

/** Times short enough for tests in real time, and long enough that a busy machine does not lose a lease by itself. */
const SHORT_LEASE: LeaseTimes = { durationMs: 2_000, renewDeadlineMs: 1_500, retryMs: 100 };

/** A process that wants a lease, with a connection and a clock as in production. */
export interface Candidate extends AsyncDisposable {
  readonly identity: string;
  readonly elector: LeaderElector;
  /** Resolves when it leads. */
  readonly acquired: Promise<void>;
}

/** Starts to want the lease. */
export function candidate(name: string, kubeConfig: KubeConfigSource, lease: ObjectId): Candidate {
  const tools = { clock: systemClock, log: silentLogger, meter: silentMeter, random: systemRandom };
  const transport = createKubeTransport({ kubeConfig, ...tools });
  const leases = createLeaseClient(createKubeClient({ transport, ...tools }), lease);
  const identity = newIdentity(name);
  const elector = new LeaderElector({ leases, identity, times: SHORT_LEASE, ...tools });
  const stop = new AbortController();
  const acquired = elector.acquire(stop.signal);
  acquired.catch(() => undefined);
  return {
    identity,
    elector,
    acquired,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await elector.release({ clean: false });
      await transport.close();
    },
  };
}
