import type { z } from "zod";
import { DueIndex, type RowIndex, SharedIndex } from "./row-index.ts";

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

/** What can be put back to how it was. */
interface Restorable {
  /** @returns brings back what is there now, the order of the rows too */
  checkpoint(): () => void;
}

/** Collects changes while somebody saves them; otherwise it forgets them at once. */
export class ChangeLog {
  #encode: ((change: RowChange) => string) | undefined;
  #pending: string[] = [];
  /** how each table that changes gets back to where it was, while work is under way that happens as a whole or not at all */
  #undo: Map<Restorable, () => void> | undefined;

  /** Does work whose changes stay only when it returns. @throws what the work throws; nothing is changed then, nor saved */
  allOrNothing<T>(work: () => T): T {
    if (this.#undo !== undefined) return work(); // goes with the work around it
    const undo = new Map<Restorable, () => void>();
    const pending = this.#pending.length;
    this.#undo = undo;
    try {
      return work();
    } catch (error) {
      for (const back of undo.values()) back();
      this.#pending.splice(pending);
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  /** A table is about to change. */
  touch(table: Restorable): void {
    if (this.#undo?.has(table) === false) this.#undo.set(table, table.checkpoint());
  }

  /** From now on changes are kept until they are taken, each as the text that it is saved as. */
  keep(encode: (change: RowChange) => string): void {
    this.#encode = encode;
  }

  /**
   * What is about to be changed. A row that cannot be saved is refused here, before it is in memory: whoever sets it fails, and nobody after it.
   *
   * @throws what `encode` throws
   */
  record(change: RowChange): void {
    if (this.#encode !== undefined) this.#pending.push(this.#encode(change));
  }

  /** The changes since the last call, in their order. */
  take(): readonly string[] {
    if (this.#pending.length === 0) return [];
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
  readonly #indexes: RowIndex<V>[] = [];

  constructor({ name, row }: TableDeclaration<V>, changes: ChangeLog) {
    this.name = name;
    this.#row = row;
    this.#changes = changes;
  }

  /** From now on rows are found by what they share; undefined: the row is in no group. */
  groupedBy(sharedBy: (row: V) => string | undefined): SharedIndex<V> {
    return this.#index(new SharedIndex(sharedBy));
  }

  /** From now on rows are found by when something is due of them; undefined: nothing ever is. */
  orderedBy(dueAtMs: (row: V) => number | undefined): DueIndex<V> {
    return this.#index(new DueIndex(dueAtMs));
  }

  #index<I extends RowIndex<V>>(made: I): I {
    for (const [key, row] of this.#rows) made.changed(key, undefined, row);
    this.#indexes.push(made);
    return made;
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
    this.#changes.touch(this);
    this.#changes.record({ table: this.name, key, value: row });
    this.#put(key, row);
  }

  delete(key: string): boolean {
    const known = this.#rows.get(key);
    if (known === undefined) return false;
    this.#changes.touch(this);
    this.#rows.delete(key);
    for (const index of this.#indexes) index.changed(key, known, undefined);
    this.#changes.record({ table: this.name, key, value: undefined });
    return true;
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
    this.#put(key, this.#row.parse(row));
  }

  checkpoint(): () => void {
    const rows = [...this.#rows];
    return () => {
      for (const [key, row] of this.#rows) for (const index of this.#indexes) index.changed(key, row, undefined);
      this.#rows.clear();
      for (const [key, row] of rows) this.#put(key, row);
    };
  }

  #put(key: string, row: V): void {
    const before = this.#rows.get(key);
    this.#rows.set(key, row);
    for (const index of this.#indexes) index.changed(key, before, row);
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
    this.#changes.touch(this);
    this.#changes.record({ table: this.name, key: joined(ref, key), value: row });
    this.#put(ref, key, row);
  }

  delete(ref: string, key: string): boolean {
    const rows = this.#projects.get(ref);
    if (rows?.has(key) !== true) return false;
    this.#changes.touch(this);
    rows.delete(key);
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

  checkpoint(): () => void {
    const projects = [...this.#projects].map(([ref, rows]) => [ref, new Map(rows)] as const);
    return () => {
      this.#projects.clear();
      for (const [ref, rows] of projects) this.#projects.set(ref, rows);
    };
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
