/** How many events an object may have at once, and how fast that grows again. */
export interface EventLimit {
  readonly burst: number;
  /** Milliseconds for one more. */
  readonly refillMs: number;
}

interface TokenBucket {
  tokens: number;
  readonly atMs: number;
}

/** Full buckets are forgotten when there are more than this, in a walk over all once in the time of a refill: before that hardly another one is full. */
const REMEMBERED = 4096;

/** A token bucket for each key, such as an object, so that one that fails in ever new ways cannot fill etcd. */
export class EventLimits {
  readonly #limit: EventLimit;
  readonly #buckets = new Map<string, TokenBucket>();
  #walkedAtMs = -Infinity;

  constructor(limit: EventLimit) {
    this.#limit = limit;
  }

  /** How many objects are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes a token of the object `key`, or answers false when there is none. @param nowMs monotonic */
  take(key: string, nowMs: number): boolean {
    const tokens = this.#tokensOf(this.#buckets.get(key), nowMs);
    if (tokens < 1) return false;
    this.#buckets.set(key, { tokens: tokens - 1, atMs: nowMs });
    if (this.#buckets.size > REMEMBERED && nowMs - this.#walkedAtMs >= this.#limit.refillMs) this.#forgetFull(nowMs);
    return true;
  }

  #tokensOf(bucket: TokenBucket | undefined, nowMs: number): number {
    if (bucket === undefined) return this.#limit.burst;
    return Math.min(this.#limit.burst, bucket.tokens + (nowMs - bucket.atMs) / this.#limit.refillMs);
  }

  #forgetFull(nowMs: number): void {
    this.#walkedAtMs = nowMs;
    for (const [key, bucket] of this.#buckets) {
      if (this.#tokensOf(bucket, nowMs) >= this.#limit.burst) this.#buckets.delete(key);
    }
  }
}
