/**
 * Who was refused when something that it refers to was touched, and so was not made to run at once. By the time that this is read somebody else may have
 * made it run, on what was there before: then it is refused no more, and yet has not heard of what is there now.
 */
export class WaitingUsers {
  readonly #byPlace = new Map<string, Set<string>>();

  /** How many users are noted; one counts at each place. */
  get size(): number {
    return [...this.#byPlace.values()].reduce((sum, uids) => sum + uids.size, 0);
  }

  /** @param place of what was touched @param uids of the objects */
  note(place: string, uids: readonly string[]): void {
    if (uids.length > 0) this.#byPlace.set(place, new Set([...(this.#byPlace.get(place) ?? []), ...uids]));
  }

  /** Uids of who was noted there since this was asked last. */
  take(place: string): ReadonlySet<string> {
    const uids = this.#byPlace.get(place);
    this.#byPlace.delete(place);
    return uids ?? new Set();
  }

  /** The object is gone. Who does not lead reads nothing, and would note for ever. */
  forget(uid: string): void {
    for (const [place, uids] of this.#byPlace) {
      uids.delete(uid);
      if (uids.size === 0) this.#byPlace.delete(place);
    }
  }
}
