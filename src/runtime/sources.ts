import { sleep } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import { errorFields } from "../base/error-facts.ts";

/** What keeps a cache up to date; a Reflector is one. */
export interface CacheSource {
  /** Resolves once its cache holds everything that there was when it looked. */
  readonly synced: Promise<void>;
  /** False when its loop is stuck or has ended. Absent: only an end is noticed. */
  readonly alive?: boolean;
  /** Runs until the signal aborts, and ends for no other reason. */
  run(signal: AbortSignal): Promise<void>;
}

interface WatchedSource {
  readonly name: string;
  readonly source: CacheSource;
  synced: boolean;
  ended: boolean;
}

/** The sources of a process: started together, watched for ends, asked for their state. */
export class SourceSet {
  readonly #log: Logger;
  readonly #members: WatchedSource[] = [];
  #runs: Promise<unknown> = Promise.resolve();

  constructor(log: Logger) {
    this.#log = log;
  }

  add(name: string, source: CacheSource): void {
    this.#members.push({ name, source, synced: false, ended: false });
  }

  /** Runs all of them until the signal aborts. `onEnd` is called for one that ends before, which must not happen. */
  start(signal: AbortSignal, onEnd: (name: string, error: unknown) => void): void {
    this.#runs = Promise.all(this.#members.map((member) => this.#run(member, signal, onEnd)));
  }

  /** Resolves when each has ended. Never rejects. */
  async ended(): Promise<void> {
    await this.#runs;
  }

  /**
   * Waits until every cache is in sync.
   *
   * @returns the names of those that were not in time
   * @throws the signal's reason once it aborts
   */
  async synced(
    signal: AbortSignal,
    { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  ): Promise<readonly string[]> {
    const done = new AbortController();
    const all = Promise.all(
      this.#members.map(async (member) => {
        await member.source.synced;
        member.synced = true;
      }),
    );
    const timeout = sleep(clock, timeoutMs, AbortSignal.any([signal, done.signal]));
    timeout.catch(() => undefined); // after `all` won the race nobody waits for it
    try {
      await Promise.race([all, timeout]);
    } finally {
      done.abort();
    }
    return this.unsynced();
  }

  unsynced(): readonly string[] {
    return this.#members.filter((member) => !member.synced).map((member) => member.name);
  }

  /** A sentence for each source whose loop is stuck or has ended. */
  stuck(): readonly string[] {
    return this.#members
      .filter(({ source, ended }) => ended || source.alive === false)
      .map(({ name, ended }) => `watch loop of ${name} ${ended ? "ended" : "is stuck"}`);
  }

  async #run(member: WatchedSource, signal: AbortSignal, onEnd: (name: string, error: unknown) => void): Promise<void> {
    const { name, source } = member;
    let error: unknown = new Error("its loop ended");
    try {
      await source.run(signal);
    } catch (thrown) {
      error = thrown;
    }
    member.ended = true;
    if (signal.aborted) return;
    this.#log.error({ source: name, ...errorFields(error) }, "a source ended");
    onEnd(name, error);
  }
}
