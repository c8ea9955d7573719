/**
 * Who was refused when something that it refers to was touched, and so was not made to run at once. By the time that this is read somebody else may have
 * made it run, on what was there before: then it is refused no more, and yet has not heard of what is there now.
 */
export class PassedOver {
  readonly #byPlace = new Map<string, Set<string>>();

  /** @param place of what was touched @param uids of the objects */
  note(place: string, uids: readonly string[]): void {
    if (uids.length > 0) this.#byPlace.set(place, new Set([...(this.#byPlace.get(place) ?? []), ...uids]));
  }

  /** Uids of who was passed over there since this was asked last. */
  take(place: string): ReadonlySet<string> {
    const uids = this.#byPlace.get(place);
    this.#byPlace.delete(place);
    return uids ?? new Set();
  }
}
