import type { Clock } from "../../base/clock.ts";
import type { KubeClient, RequestOptions } from "../../kube/client.ts";
import type { ResourceType } from "../../resources/meta.ts";

/**
 * How long after the deletion of an object began discovery must have been asked for its answer to explain that deletion, milliseconds: discovery follows a
 * definition in its own time, and the apiserver dates deletions in whole seconds.
 */
const FOLLOWS_MS = 5000;

interface ToldWithdrawal {
  /** monotonic milliseconds at which it was asked */
  readonly askedMs: number;
  readonly isWithdrawn: boolean;
}

/**
 * Whether definitions are being deleted, asked of discovery once for all objects whose deletion began before it was asked: a definition goes before its objects
 * do, so that what is found later explains none of them.
 */
export class Withdrawals {
  readonly #kube: KubeClient;
  readonly #clock: Clock;
  /** newest answer of each kind */
  readonly #byKind = new Map<string, ToldWithdrawal>();

  constructor(kube: KubeClient, clock: Clock) {
    this.#kube = kube;
    this.#clock = clock;
  }

  /**
   * Whether an object goes with all of its kind.
   *
   * @param deletingForMs milliseconds since its deletion was asked for
   * @throws KubeError
   */
  async explains(type: ResourceType, deletingForMs: number, options: RequestOptions): Promise<boolean> {
    const nowMs = this.#clock.monotonic();
    const last = this.#byKind.get(type.kind);
    if (last !== undefined && last.askedMs >= nowMs - deletingForMs + FOLLOWS_MS) return last.isWithdrawn;
    const isWithdrawn = await this.#kube.isWithdrawn(type, options);
    this.#byKind.set(type.kind, { askedMs: nowMs, isWithdrawn });
    return isWithdrawn;
  }
}
