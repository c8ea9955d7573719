/** A field of a status as it was recorded before a request, and as it is known to be since that certainly came to nothing. */
export interface Untold {
  readonly field: string;
  readonly recorded: unknown;
  readonly known: unknown;
}

interface RefusedTry {
  readonly words: string;
  readonly untold: readonly Untold[];
}

/**
 * Tries that certainly came to nothing, as long as the status says that they may have been sent: to take each of them back, only to record the next
 * one, would be two writes for a try of which nothing new is told. Remembered in memory: a life that ends meanwhile leaves what was recorded in doubt.
 */
export class RefusedTries {
  /** by uid of the object and then by what was tried: the last such try */
  readonly #byUid = new Map<string, Map<string, RefusedTry>>();

  /** How many objects have such tries. */
  get size(): number {
    return this.#byUid.size;
  }

  /** Whether the last try of it was refused in the same words. */
  isTold(uid: string, what: string, words: string): boolean {
    return this.#byUid.get(uid)?.get(what)?.words === words;
  }

  /** A try was refused. @param refused.untold fields of the status that do not say so */
  note(uid: string, what: string, refused: RefusedTry): void {
    const byWhat = this.#byUid.get(uid) ?? new Map<string, RefusedTry>();
    this.#byUid.set(uid, byWhat.set(what, refused));
  }

  /** Another try begins, of which nothing is known, whatever it records. */
  begin(uid: string, what: string): void {
    const byWhat = this.#byUid.get(uid);
    const known = byWhat?.get(what);
    if (known !== undefined) byWhat?.set(what, { words: known.words, untold: [] });
  }

  /** What the status of an object may say and is known to be otherwise. */
  untold(uid: string): readonly Untold[] {
    return [...(this.#byUid.get(uid)?.values() ?? [])].flatMap(({ untold }) => untold);
  }

  /** The object has gone. */
  forget(uid: string): void {
    this.#byUid.delete(uid);
  }
}
