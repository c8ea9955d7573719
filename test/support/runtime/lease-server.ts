import { sleep } from "../../../src/base/abort.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { Lease, LeaseClient, LeaseSpec } from "../../../src/kube/leases.ts";

/** What happens to one request. Times are milliseconds of the server's clock. */
export interface Fault {
  /** Until the server acts. */
  readonly beforeMs?: number;
  /** From then until the caller has the answer. */
  readonly afterMs?: number;
  /** `request`: the server never sees it. `answer`: it acts and the caller never hears of it. `refused`: an error at once. */
  readonly lost?: "request" | "answer" | "refused";
}

/** A failure as clients word it: told by its code. */
class LeaseError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`lease: ${code}`);
    this.code = code;
  }
}

/**
 * One Lease, kept as an apiserver keeps it: versions that grow with each write, writes refused at another version. Requests go on
 * when their caller has given up, as they do in a network.
 */
export class LeaseServer {
  readonly #clock: Clock;
  #lease: Lease | undefined;
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** Somebody else's write, or a deletion. */
  set(spec: LeaseSpec | undefined): void {
    this.#version += 1;
    this.#lease = spec === undefined ? undefined : { resourceVersion: `${this.#version}`, spec };
  }

  /** A write that changes labels only: another version, the same spec. */
  touch(): void {
    this.set(this.#lease?.spec);
  }

  /** A client whose requests each meet what `fault` says. */
  client(fault: () => Fault = () => ({})): LeaseClient {
    const request = <T>(act: () => T, signal: AbortSignal): Promise<T> => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#carry(act, fault(), resolve).catch(reject);
      return promise;
    };
    return {
      get: (signal) => request(() => this.#lease, signal),
      create: (spec, signal) => request(() => this.#create(spec), signal),
      update: (version, spec, signal) => request(() => this.#update(version, spec), signal),
    };
  }

  async #carry<T>(act: () => T, fault: Fault, resolve: (value: T) => void): Promise<void> {
    const { beforeMs = 0, afterMs = 0, lost } = fault;
    if (lost === "refused") throw new LeaseError("Unavailable");
    if (lost === "request") return;
    if (beforeMs > 0) await sleep(this.#clock, beforeMs);
    const value = act();
    if (afterMs > 0) await sleep(this.#clock, afterMs);
    if (lost !== "answer") resolve(value);
  }

  #create(spec: LeaseSpec): Lease {
    if (this.#lease !== undefined) throw new LeaseError("AlreadyExists");
    return this.#write(spec);
  }

  #update(version: string, spec: LeaseSpec): Lease {
    if (this.#lease === undefined) throw new LeaseError("NotFound");
    if (this.#lease.resourceVersion !== version) throw new LeaseError("Conflict");
    return this.#write(spec);
  }

  #write(spec: LeaseSpec): Lease {
    this.#version += 1;
    const lease = { resourceVersion: `${this.#version}`, spec };
    this.#lease = lease;
    return lease;
  }
}
