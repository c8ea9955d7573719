import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as wait } from "node:timers/promises";
import { ManualClock } from "../../../src/base/manual-clock.ts";
import type { Emulator } from "../../../src/emulator/emulator.ts";

/** Rounds of the event loop in which nothing may happen, so that nothing more comes of what was answered. */
const QUIET_ROUNDS = 4;
/** How long the cluster's watches may take to tell of a write, milliseconds of the machine. */
const TOLD_MS = 15;
/** How long a request to the platform may be on its way there, milliseconds of the machine. Once it is there, the emulator says whether it is at work. */
const ON_ITS_WAY_MS = 10;

interface Sent {
  readonly origin: string;
  readonly path: string;
}

/**
 * The clock that operators and platform share. It goes on to the next timer only when no request to either server is open and no work is
 * pending: a request that the platform itself delays, or never answers, waits for time and does not hold it up. The cluster has its own
 * time, so that whatever waits for that (a repeated request, a watch's event) is waited for here.
 */
export class SharedTime implements Disposable {
  readonly clock = new ManualClock(Date.now());
  /** how often time went on: turns in which timers fired, or the end of what was waited for */
  steps = 0;
  /** what else is not to be overtaken */
  readonly isHeld: (() => boolean)[] = [];
  #platformIdle: () => Promise<void> = () => Promise.resolve();
  readonly #cluster = new Set<string>();
  readonly #platform = new Set<string>();
  readonly #open = new Map<object, "cluster" | "platform">();
  #stirredMs = -Infinity;
  #platformMs = -Infinity;

  constructor() {
    subscribe("undici:request:create", this.#began);
    for (const name of ENDS) subscribe(name, this.#ended);
  }

  /** Requests to this origin of the cluster are counted. */
  countCluster(origin: string): void {
    this.#cluster.add(origin);
  }

  /** Requests to the platform are counted, and the work on them is waited for. @param others URLs that lead there too */
  countPlatform({ url, idle }: Pick<Emulator, "url" | "idle">, ...others: readonly string[]): void {
    for (const one of [url, ...others]) this.#platform.add(one);
    this.#platformIdle = idle;
  }

  /** Something was written to the cluster, or told by it: what follows from it needs a moment. */
  stir(): void {
    this.#stirredMs = performance.now();
  }

  /** Lets time pass, from timer to timer. Milliseconds. */
  async run(ms: number): Promise<void> {
    const endMs = this.clock.monotonic() + ms;
    for (;;) {
      await this.quiet();
      const leftMs = endMs - this.clock.monotonic();
      if (leftMs <= 0) return;
      this.steps += 1;
      this.clock.advance(Math.min(this.clock.msToNextTimer() ?? leftMs, leftMs));
    }
  }

  /** Lets time pass while something ends, but no more of it than `mostMs`: what then is waited for is the machine's. */
  async during<T>(work: Promise<T>, mostMs = 60_000): Promise<T> {
    let over = false;
    const end = (): void => void (over = true);
    work.then(end, end);
    const endMs = this.clock.monotonic() + mostMs;
    while (!isTrue(() => over)) {
      const leftMs = endMs - this.clock.monotonic();
      if (leftMs <= 0 || this.#isBusy()) await wait(1);
      else await this.run(Math.min(1000, leftMs));
    }
    return work;
  }

  /** Resolves when whatever could be done at this moment was done. */
  async quiet(): Promise<void> {
    for (let rounds = 0; rounds < QUIET_ROUNDS;) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.#platformIdle();
      if (this.#isBusy()) {
        rounds = 0;
        await wait(1);
      } else rounds += 1;
    }
  }

  [Symbol.dispose](): void {
    unsubscribe("undici:request:create", this.#began);
    for (const name of ENDS) unsubscribe(name, this.#ended);
  }

  #isBusy(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#stirredMs < TOLD_MS || this.isHeld.some((held) => held())) return true;
    const open = [...this.#open.values()];
    return open.includes("cluster") || (open.length > 0 && nowMs - this.#platformMs < ON_ITS_WAY_MS);
  }

  readonly #began = (message: unknown): void => {
    const request = requestIn(message);
    if (request === undefined || request.path.includes("watch=true")) return;
    const server = this.#serverOf(request);
    if (server === undefined) return;
    this.#open.set(request, server);
    this.#platformMs = performance.now();
  };

  readonly #ended = (message: unknown): void => {
    const request = requestIn(message);
    if (request === undefined || !this.#open.delete(request)) return;
    this.#platformMs = performance.now();
  };

  #serverOf({ origin }: Sent): "cluster" | "platform" | undefined {
    if (this.#cluster.has(origin)) return "cluster";
    return this.#platform.has(origin) ? "platform" : undefined;
  }
}

const ENDS = ["undici:request:trailers", "undici:request:error"] as const;

/** A call, since other callbacks change what it reads. */
function isTrue(read: () => boolean): boolean {
  return read();
}

/** The request of a message of undici's channels: the same object in all of them. */
function requestIn(message: unknown): (Sent & object) | undefined {
  if (typeof message !== "object" || message === null || !("request" in message)) return undefined;
  const { request } = message;
  return isSent(request) ? request : undefined;
}

function isSent(value: unknown): value is Sent {
  return (
    typeof value === "object" &&
    value !== null &&
    "origin" in value &&
    typeof value.origin === "string" &&
    "path" in value &&
    typeof value.path === "string"
  );
}
