import { Agent, type Dispatcher, ProxyAgent } from "undici";
import type { Clock } from "../base/clock.ts";
import { type ProxySettings, proxyFor } from "../base/proxy.ts";
import { ArtifactError } from "./errors.ts";
import { type ArtifactPlace, fetchArtifact } from "./fetch.ts";
import { type ArtifactLimits, defaultLimits } from "./limits.ts";
import { Reach } from "./reach.ts";
import type { ArtifactFile } from "./shelf.ts";
import { Slots } from "./slots.ts";

/**
 * src/artifacts: archives that others publish, fetched, checked and unpacked. Knows neither Kubernetes nor our kinds nor the Management API: an
 * artifact is an address, a digest and a size.
 */

/** Artifacts that are read at once. */
const AT_ONCE = 3;
/** For how long a turn is waited for, milliseconds: no longer than a run waits for anything while it holds a worker (engine.md §1). */
const TURN_MS = 1000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4000;

interface ArtifactsOptions {
  readonly clock: Clock;
  readonly proxy?: ProxySettings;
  readonly limits?: ArtifactLimits;
  /** from where artifacts are fetched; default: from anywhere but this machine and what is link-local */
  readonly reach?: Reach;
  /** asked right before anything is fetched; false: nothing is (engine.md §8 Leases) */
  readonly mayStart: () => boolean;
}

interface ArtifactReadOptions {
  /** only files below it; "" for all of them */
  readonly folder: string;
  /** of whom one artifact is read at a time */
  readonly group: string;
  readonly signal: AbortSignal;
}

/** Reads artifacts, a few at once. Keeps nothing of them. */
export class Artifacts implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #proxy: ProxySettings;
  readonly #limits: ArtifactLimits;
  readonly #reach: Reach;
  readonly #mayStart: () => boolean;
  readonly #slots: Slots;
  /** by proxy; undefined: directly */
  readonly #dispatchers = new Map<string | undefined, Dispatcher>();

  constructor({ clock, proxy = {}, limits = defaultLimits, reach, mayStart }: ArtifactsOptions) {
    this.#clock = clock;
    this.#proxy = proxy;
    this.#limits = limits;
    this.#reach = reach ?? new Reach({ loopback: false });
    this.#mayStart = mayStart;
    this.#slots = new Slots(AT_ONCE, clock);
  }

  /**
   * The files of an artifact below a folder; its digest is checked before anything of it is unpacked.
   *
   * @throws ArtifactError; NotStartedError; the signal's reason when it aborts
   */
  async read(place: ArtifactPlace, { folder, group, signal }: ArtifactReadOptions): Promise<readonly ArtifactFile[]> {
    using slot = await this.#slots.take(group, { waitMs: TURN_MS, signal });
    signal.throwIfAborted();
    if (slot === undefined) throw new ArtifactError("Busy", "other artifacts are being read");
    const limits = this.#limits;
    const dispatcher = (url: URL): Dispatcher => this.#dispatcher(url);
    const archive = await fetchArtifact(place, {
      dispatcher,
      reach: this.#reach,
      limits,
      clock: this.#clock,
      signal,
      mayStart: this.#mayStart,
    });
    // Loaded only where there are artifacts: its package costs memory.
    const { unpack } = await import("./unpack.ts");
    return await unpack(archive, { folder, limits, signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#dispatchers.values().map((dispatcher) => dispatcher.close()));
  }

  #dispatcher(url: URL): Dispatcher {
    const uri = proxyFor(url, this.#proxy);
    const known = this.#dispatchers.get(uri);
    if (known !== undefined) return known;
    const options = {
      connections: AT_ONCE,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
    };
    const connect = { timeout: CONNECT_TIMEOUT_MS };
    // What a name stands for, where a proxy stands between, is the proxy's to say.
    const dispatcher =
      uri === undefined
        ? new Agent({ ...options, connect: { ...connect, lookup: this.#reach.lookup } })
        : new ProxyAgent({ ...options, connect, uri });
    this.#dispatchers.set(uri, dispatcher);
    return dispatcher;
  }
}
