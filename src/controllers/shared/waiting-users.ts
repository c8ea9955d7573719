/**
 * Who was refused when something that it refers to was touched, and so was not made to run at once. By the time that this is read somebody else may have
 * made it run, on what was there before: then it is refused no more, and yet has not heard of what is there now.
 */
export class WaitingUsers {
  readonly #byPlace = new Map<string, Set<string>>();
  readonly #byUser = new Map<string, Set<string>>();

  /** How much is noted: each user at each place, both ways. */
  get size(): number {
    return [...this.#byPlace.values(), ...this.#byUser.values()].reduce((sum, noted) => sum + noted.size, 0);
  }

  /** @param place of what was touched @param uids of the objects */
  note(place: string, uids: readonly string[]): void {
    for (const uid of uids) {
      add(this.#byPlace, place, uid);
      add(this.#byUser, uid, place);
    }
  }

  /** Uids of who was noted there since this was asked last. */
  take(place: string): ReadonlySet<string> {
    const uids = new Set(this.#byPlace.get(place));
    for (const uid of uids) remove(this.#byUser, uid, place);
    this.#byPlace.delete(place);
    return uids;
  }

  /**
   * The object is gone, or was edited: then it runs, and reads what is there. Who does not lead takes nothing, and would note for ever: objects come and go,
   * and whose Secrets are named after what they hold refers to another one with each edit.
   */
  forget(uid: string): void {
    for (const place of this.#byUser.get(uid) ?? []) remove(this.#byPlace, place, uid);
    this.#byUser.delete(uid);
  }
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  if (values === undefined) sets.set(key, new Set([value]));
  else values.add(value);
}

function remove(sets: Map<string, Set<string>>, key: string, value: string): void {
  const values = sets.get(key);
  values?.delete(value);
  if (values?.size === 0) sets.delete(key);
}
