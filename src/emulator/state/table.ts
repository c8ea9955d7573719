import type { z } from "zod";

/**
 * Tables of the emulated service's state. Rows are plain data and replaced as a whole, never changed; each change is told to a change
 * log, from which the state is saved (persistence/). Every kind of row has a schema, by which saved rows are checked when they come back.
 */

/** One row that was set, or removed when `value` is undefined. */
export interface RowChange {
  readonly table: string;
  readonly key: string;
  readonly value: unknown;
}

/** Collects changes while somebody saves them; otherwise it forgets them at once. */
export class ChangeLog {
  #pending: RowChange[] | undefined;

  /** From now on changes are kept until they are taken. */
  keep(): void {
    this.#pending ??= [];
  }

  record(change: RowChange): void {
    this.#pending?.push(change);
  }

  /** The changes since the last call, in their order. */
  take(): readonly RowChange[] {
    if (this.#pending === undefined || this.#pending.length === 0) return [];
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }
}

/** What saving and loading need to know of any table. */
export interface StoredTable {
  readonly name: string;
  rows(): Iterable<readonly [key: string, row: unknown]>;
  /** Puts a saved row back, checked by the table's schema; tells the change log nothing. Throws ZodError. */
  restore(key: string, row: unknown): void;
  clear(): void;
}

/** How a table is called in saved state, and what its rows look like. */
export interface TableDeclaration<V> {
  readonly name: string;
  readonly row: z.ZodType<V>;
}

/** Rows by a key of their own. */
export class Table<V> implements StoredTable {
  readonly name: string;
  readonly #row: z.ZodType<V>;
  readonly #changes: ChangeLog;
  readonly #rows = new Map<string, V>();

  constructor({ name, row }: TableDeclaration<V>, changes: ChangeLog) {
    this.name = name;
    this.#row = row;
    this.#changes = changes;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): V | undefined {
    return this.#rows.get(key);
  }

  has(key: string): boolean {
    return this.#rows.has(key);
  }

  set(key: string, row: V): void {
    this.#rows.set(key, row);
    this.#changes.record({ table: this.name, key, value: row });
  }

  delete(key: string): boolean {
    const removed = this.#rows.delete(key);
    if (removed) this.#changes.record({ table: this.name, key, value: undefined });
    return removed;
  }

  clear(): void {
    for (const key of this.#rows.keys()) this.delete(key);
  }

  keys(): MapIterator<string> {
    return this.#rows.keys();
  }

  values(): MapIterator<V> {
    return this.#rows.values();
  }

  rows(): Iterable<readonly [string, V]> {
    return this.#rows;
  }

  restore(key: string, row: unknown): void {
    this.#rows.set(key, this.#row.parse(row));
  }
}

/** What goes with its project. */
export interface OfProjects {
  /** Removes all that belongs to the project. */
  drop(ref: string): void;
}

/** Rows of projects: by the project's ref and a key of their own. A project without rows costs nothing. */
export class ProjectTable<V> implements StoredTable, OfProjects {
  readonly name: string;
  readonly #row: z.ZodType<V>;
  readonly #changes: ChangeLog;
  readonly #projects = new Map<string, Map<string, V>>();

  constructor({ name, row }: TableDeclaration<V>, changes: ChangeLog) {
    this.name = name;
    this.#row = row;
    this.#changes = changes;
  }

  /** The rows of a project in the order in which they were first set; not to be kept across changes. */
  of(ref: string): ReadonlyMap<string, V> {
    return this.#projects.get(ref) ?? new Map();
  }

  get(ref: string, key: string): V | undefined {
    return this.#projects.get(ref)?.get(key);
  }

  set(ref: string, key: string, row: V): void {
    this.#put(ref, key, row);
    this.#changes.record({ table: this.name, key: joined(ref, key), value: row });
  }

  delete(ref: string, key: string): boolean {
    const rows = this.#projects.get(ref);
    if (rows === undefined || !rows.delete(key)) return false;
    if (rows.size === 0) this.#projects.delete(ref);
    this.#changes.record({ table: this.name, key: joined(ref, key), value: undefined });
    return true;
  }

  drop(ref: string): void {
    for (const key of this.of(ref).keys()) this.delete(ref, key);
  }

  clear(): void {
    for (const ref of this.#projects.keys()) this.drop(ref);
  }

  *rows(): Iterable<readonly [string, V]> {
    for (const [ref, rows] of this.#projects) for (const [key, row] of rows) yield [joined(ref, key), row];
  }

  restore(key: string, row: unknown): void {
    const at = key.indexOf(SEPARATOR);
    this.#put(key.slice(0, at), key.slice(at + 1), this.#row.parse(row));
  }

  #put(ref: string, key: string, row: V): void {
    const rows = this.#projects.get(ref);
    if (rows === undefined) this.#projects.set(ref, new Map([[key, row]]));
    else rows.set(key, row);
  }
}

/** No ref has one. */
const SEPARATOR = "/";

function joined(ref: string, key: string): string {
  return `${ref}${SEPARATOR}${key}`;
}

/** One value of every project, with a default that holds until it is set. A project that never set it costs nothing. */
export class ProjectValue<V> implements StoredTable, OfProjects {
  readonly #default: V;
  readonly #values: Table<V>;

  constructor(declaration: TableDeclaration<V> & { readonly default: V }, changes: ChangeLog) {
    this.#default = declaration.default;
    this.#values = new Table(declaration, changes);
  }

  get name(): string {
    return this.#values.name;
  }

  get(ref: string): V {
    return this.#values.get(ref) ?? this.#default;
  }

  set(ref: string, value: V): void {
    this.#values.set(ref, value);
  }

  /** Back to the default. */
  reset(ref: string): void {
    this.#values.delete(ref);
  }

  drop(ref: string): void {
    this.reset(ref);
  }

  clear(): void {
    this.#values.clear();
  }

  rows(): Iterable<readonly [string, V]> {
    return this.#values.rows();
  }

  restore(key: string, row: unknown): void {
    this.#values.restore(key, row);
  }
}
