import type { Clock } from "../../base/clock.ts";
import { TerminalError } from "../../runtime/outcome.ts";

interface RememberedRefusal {
  readonly fingerprint: string;
  readonly error: TerminalError;
  readonly atMs: number;
}

/**
 * Deployments that the platform refused for good (a source that does not bundle, a plan's limit). The same one is not uploaded again because
 * something else woke the object: only another source, a reconcile that somebody asks for, or the slow recheck tries again (K-29).
 *
 * Kept in memory: after a restart each is tried once more.
 */
export class Refusals {
  readonly #clock: Clock;
  readonly #byUid = new Map<string, RememberedRefusal>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param fingerprint of everything that a new attempt would differ in
   * @throws TerminalError as it was refused before
   */
  recall(uid: string, fingerprint: string): void {
    const refusal = this.#byUid.get(uid);
    if (refusal?.fingerprint !== fingerprint) return;
    const { error, atMs } = refusal;
    const remainingMs = (error.recheckAfterMs ?? Infinity) - (this.#clock.monotonic() - atMs);
    if (remainingMs <= 0) return;
    const { reason, message } = error;
    throw new TerminalError(reason, message, {
      cause: error,
      ...(Number.isFinite(remainingMs) ? { recheckAfterMs: remainingMs } : {}),
    });
  }

  /** Remembers what ends in somebody having to act; any other failure is tried again. */
  note(uid: string, fingerprint: string, error: unknown): void {
    if (!(error instanceof TerminalError)) return;
    this.#byUid.set(uid, { fingerprint, error, atMs: this.#clock.monotonic() });
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  /** Whose deployments are remembered. */
  uids(): Iterable<string> {
    return this.#byUid.keys();
  }
}
