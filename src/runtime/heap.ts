/**
 * A binary heap whose members can be removed or re-ordered wherever they stand. Each member stands in it at most once, by identity.
 *
 * All operations are O(log n), `peek` and `has` O(1).
 */
export class Heap<T extends object> {
  readonly #items: T[] = [];
  readonly #positions = new Map<T, number>();
  readonly #before: (a: T, b: T) => boolean;

  /** @param before a strict order: true when `a` must come out before `b`. Whoever changes what it reads calls `push` again. */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  has(item: T): boolean {
    return this.#positions.has(item);
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  /** Adds the item, or moves it to its place when it is in already. */
  push(item: T): void {
    const position = this.#positions.get(item) ?? this.#items.length;
    if (position === this.#items.length) this.#set(position, item);
    this.#sink(this.#rise(position));
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** @returns false when the item was not in */
  remove(item: T): boolean {
    const position = this.#positions.get(item);
    const last = this.#items.at(-1);
    if (position === undefined || last === undefined) return false;
    this.#items.pop();
    this.#positions.delete(item);
    if (last !== item) {
      this.#set(position, last);
      this.#sink(this.#rise(position));
    }
    return true;
  }

  #set(position: number, item: T): void {
    this.#items[position] = item;
    this.#positions.set(item, position);
  }

  /** Moves the item at `from` up to where its parent comes before it; returns where it stands. */
  #rise(from: number): number {
    const item = this.#items[from];
    let position = from;
    while (item !== undefined && position > 0) {
      const above = (position - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || !this.#before(item, parent)) break;
      this.#set(position, parent);
      position = above;
    }
    if (item !== undefined) this.#set(position, item);
    return position;
  }

  /** Moves the item at `from` down to where it comes before its children. */
  #sink(from: number): void {
    const item = this.#items[from];
    let position = from;
    while (item !== undefined) {
      const below = this.#firstChild(position);
      const child = this.#items[below];
      if (child === undefined || !this.#before(child, item)) break;
      this.#set(position, child);
      position = below;
    }
    if (item !== undefined) this.#set(position, item);
  }

  #firstChild(position: number): number {
    const left = 2 * position + 1;
    const a = this.#items[left];
    const b = this.#items[left + 1];
    return a !== undefined && b !== undefined && this.#before(b, a) ? left + 1 : left;
  }
}
