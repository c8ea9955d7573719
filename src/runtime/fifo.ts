/**
 * First in, first out, with removal from the middle; members are told apart by identity. Every operation is O(1), amortised.
 *
 * The iterator at the front is kept: a fresh one would walk over the holes that earlier removals left, which makes emptying a Set
 * through `values().next()` quadratic.
 */
export class Fifo<T> {
  readonly #members = new Set<T>();
  #front = this.#members.values();

  get size(): number {
    return this.#members.size;
  }

  /** Adds at the end; a member that is in already keeps its place. */
  push(member: T): void {
    this.#members.add(member);
  }

  /** @returns false when the member was not in */
  remove(member: T): boolean {
    return this.#members.delete(member);
  }

  /** The oldest member, taken out. */
  shift(): T | undefined {
    if (this.#members.size === 0) return undefined;
    let next = this.#front.next();
    if (next.done === true) {
      this.#front = this.#members.values(); // an iterator that has ended stays ended, whatever is added after
      next = this.#front.next();
    }
    if (next.done === true) return undefined;
    this.#members.delete(next.value);
    return next.value;
  }
}
