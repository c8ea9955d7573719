import type { Recorded } from "./request.ts";

/**
 * Tries of requests that certainly came to nothing, as long as the status says that they may have been sent: to take each of them back, only to record
 * the next one, would be two writes for a try of which nothing new is told. Remembered in memory: a life that ends meanwhile leaves a request in doubt.
 */
export class RefusedTries {
  /** by uid of the object and then by verb: the time of the last such try */
  readonly #byUid = new Map<string, Map<string, string | undefined>>();

  /** How many objects have such tries. */
  get size(): number {
    return this.#byUid.size;
  }

  /** The platform has refused this very try. */
  note(uid: string, { verb, sentAt }: Pick<Recorded, "verb" | "sentAt">): void {
    const byVerb = this.#byUid.get(uid) ?? new Map<string, string | undefined>();
    this.#byUid.set(uid, byVerb.set(verb, sentAt));
  }

  /** Whether it is known that this very try came to nothing. */
  has(uid: string, { verb, sentAt }: Pick<Recorded, "verb" | "sentAt">): boolean {
    return sentAt !== undefined && this.#byUid.get(uid)?.get(verb) === sentAt;
  }

  /** Another try begins, of which nothing is known, whatever its time. */
  begin(uid: string, { verb }: Pick<Recorded, "verb">): void {
    const byVerb = this.#byUid.get(uid);
    byVerb?.delete(verb);
    if (byVerb?.size === 0) this.#byUid.delete(uid);
  }

  /** The object has gone. */
  forget(uid: string): void {
    this.#byUid.delete(uid);
  }
}
