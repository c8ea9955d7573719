/** What is found of a table's rows without a walk through all of them. Kept by the table itself, so that it is never older than the rows. */

export interface RowIndex<V> {
  /** A row was set, replaced or removed. */
  changed(key: string, before: V | undefined, after: V | undefined): void;
}

/** Rows by something that several of them may have in common. */
export class SharedIndex<V> implements RowIndex<V> {
  readonly #sharedBy: (row: V) => string | undefined;
  readonly #groups = new Map<string, Map<string, V>>();

  /** @param sharedBy undefined: the row is in no group */
  constructor(sharedBy: (row: V) => string | undefined) {
    this.#sharedBy = sharedBy;
  }

  /** The rows of a group by their keys, in the order in which they came into it; not to be kept across changes. */
  of(shared: string): ReadonlyMap<string, V> {
    return this.#groups.get(shared) ?? new Map();
  }

  changed(key: string, before: V | undefined, after: V | undefined): void {
    const was = before === undefined ? undefined : this.#sharedBy(before);
    const is = after === undefined ? undefined : this.#sharedBy(after);
    if (was !== undefined && was !== is) {
      const group = this.#groups.get(was);
      group?.delete(key);
      if (group?.size === 0) this.#groups.delete(was);
    }
    if (is === undefined || after === undefined) return;
    const group = this.#groups.get(is);
    if (group === undefined) this.#groups.set(is, new Map([[key, after]]));
    else group.set(key, after);
  }
}

interface DueRow {
  readonly atMs: number;
  readonly key: string;
}

/** Keys of rows by the time at which something is due of them, the first one first. */
export class DueIndex<V> implements RowIndex<V> {
  readonly #dueAtMs: (row: V) => number | undefined;
  readonly #due: DueRow[] = [];

  /** @param dueAtMs undefined: nothing ever is */
  constructor(dueAtMs: (row: V) => number | undefined) {
    this.#dueAtMs = dueAtMs;
  }

  /** The rows of which something is due by now, to be changed or removed by whoever asks. */
  until(nowMs: number): readonly string[] {
    const end = this.#due.findIndex(({ atMs }) => atMs > nowMs);
    return this.#due.slice(0, end === -1 ? undefined : end).map(({ key }) => key);
  }

  changed(key: string, before: V | undefined, after: V | undefined): void {
    const was = before === undefined ? undefined : this.#dueAtMs(before);
    const is = after === undefined ? undefined : this.#dueAtMs(after);
    if (was === is) return;
    if (was !== undefined) this.#due.splice(this.#placeOf({ atMs: was, key }), 1);
    if (is !== undefined) this.#due.splice(this.#placeOf({ atMs: is, key }), 0, { atMs: is, key });
  }

  /** Where it stands, or would. */
  #placeOf(wanted: DueRow): number {
    let from = 0;
    let to = this.#due.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const found = this.#due[middle];
      if (found !== undefined && isBefore(found, wanted)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

function isBefore(a: DueRow, b: DueRow): boolean {
  return a.atMs === b.atMs ? a.key < b.key : a.atMs < b.atMs;
}
