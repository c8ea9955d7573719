import { join, resolve } from "node:path";
import { z } from "zod";
import type { Logger } from "../../base/log.ts";
import type { RowChange, StoredTable } from "../state/table.ts";
import { allTables } from "../state/tables.ts";
import { restoreTime, type World } from "../state/world.ts";
import { BytesFolder } from "./bytes-folder.ts";
import { fromPlain, toPlain } from "./codec.ts";
import { Journal } from "./journal.ts";
import { grouped } from "./lines.ts";
import { lockFolder } from "./lock.ts";
import {
  journalName,
  listSavedFiles,
  readJournal,
  readSnapshot,
  removeOlder,
  type SavedRow,
  type SnapshotLines,
  writeSnapshot,
} from "./saved-files.ts";
import { makeFolder, removeFolders } from "./make-folder.ts";
import { emptyFolder, hasState, refuseForeignFolder } from "./own-folder.ts";
import { otherVersion, StateError, unusable } from "./state-error.ts";

/**
 * src/emulator/persistence: the state in a folder. Every change is in a journal on the disk before the request that made it is answered;
 * from time to time a snapshot of everything takes the journal's place. Never here: what rows mean, or when something happens.
 */
export interface SavedState {
  /** Whether the folder held a state, which the world now has. */
  readonly found: boolean;
  /** Resolves when everything that changed so far is on the disk. Rejects, from then on always, when the disk refuses. */
  flush(): Promise<void>;
  /** Saves what changed and gives the folder back. */
  close(): Promise<void>;
  /** Gives the folder back without what changed since the last flush: without a flush, as it was found. */
  abandon(): Promise<void>;
}

export interface SavedStateOptions {
  readonly log: Logger;
  /** A journal that is longer gives way to a snapshot, bytes; default 16 MiB. */
  readonly longestJournal?: number;
  /** So does one in whose time more uploads were written, bytes: those that nobody has any more go then; default 256 MiB. */
  readonly mostUploads?: number;
}

const LONGEST_JOURNAL = 16 * 1024 * 1024;
/** A start writes a snapshot only for a journal that is longer, bytes: reading that much takes milliseconds, a snapshot may be of far more. */
const LONGEST_AT_START = 1024 * 1024;
/** Of several changes, characters: a quarter of the longest text there can be. */
const LONGEST_LINE = 128 * 1024 * 1024;
const MOST_UPLOADS = 256 * 1024 * 1024;

/**
 * Brings the world to the state in a folder, and saves it there from now on.
 *
 * @throws StateError when the folder cannot be made, is in use, damaged, of another version, or holds files of something else alone
 */
export async function openSavedState(folder: string, world: World, options: SavedStateOptions): Promise<SavedState> {
  const at = resolve(folder);
  try {
    return await open(at, world, options);
  } catch (error) {
    throw unusable(at, error);
  }
}

async function open(at: string, world: World, options: SavedStateOptions): Promise<SavedState> {
  const made = await makeFolder(at);
  // Nothing stays of a start that fails where no emulator has been: a folder of empty files would look like a state
  let isLeft = false;
  await using locked = new AsyncDisposableStack();
  locked.defer(() => (isLeft ? undefined : removeFolders(made)));
  await refuseForeignFolder(at);
  const lock = await lockFolder(at);
  locked.defer(() => lock.release());
  isLeft = await hasState(at); // not before: another emulator may have come and gone
  locked.defer(async () => {
    if (!isLeft && (await lock.isHeld())) await emptyFolder(at);
  });
  const store = new StateStore(at, world, options);
  locked.defer(() => store.end());
  await store.load();
  const opened = locked.move();
  const flush = async (): Promise<void> => {
    await store.flush().catch((error: unknown) => {
      throw unusable(at, error);
    });
    isLeft = true;
  };
  return {
    found: store.found,
    flush,
    close: async () => {
      await using _ends = opened;
      await flush();
    },
    abandon: () => opened.disposeAsync(),
  };
}

class StateStore {
  found = false;
  readonly #folder: string;
  readonly #world: World;
  readonly #log: Logger;
  readonly #longestJournal: number;
  readonly #mostUploads: number;
  readonly #bytes: BytesFolder;
  readonly #tables: ReadonlyMap<string, StoredTable>;
  #journal: Journal | undefined;
  #number = 0;
  /** why a change that was taken for saving is lost: what comes after it is not saved either */
  #failure: Error | undefined;
  /** the snapshot under way */
  #compaction: Promise<void> | undefined;

  constructor(folder: string, world: World, options: SavedStateOptions) {
    const { log, longestJournal = LONGEST_JOURNAL, mostUploads = MOST_UPLOADS } = options;
    this.#folder = folder;
    this.#world = world;
    this.#log = log;
    this.#longestJournal = longestJournal;
    this.#mostUploads = mostUploads;
    this.#bytes = new BytesFolder(join(folder, "bytes"));
    this.#tables = new Map(allTables(world.tables).map((table) => [table.name, table]));
  }

  async load(): Promise<void> {
    await this.#bytes.settle();
    const { snapshot, journals } = await listSavedFiles(this.#folder);
    const rows = new Map<string, SavedRow>();
    const apply = (row: SavedRow): void => {
      const [table, key, value] = row;
      // removed and set again goes to the end, as it did in memory
      if (value === null) rows.delete(`${table} ${key}`);
      else rows.set(`${table} ${key}`, row);
    };
    if (snapshot > 0) readSnapshot(this.#folder, snapshot, apply);
    let isWhole = snapshot > 0 && journals.length === 1;
    let isLastEmpty = false;
    for (const number of journals) {
      const { whole, isCut } = readJournal(this.#folder, number, apply);
      isWhole &&= !isCut;
      isLastEmpty = whole === 0 && !isCut;
    }
    for (const row of rows.values()) this.#restore(row);
    restoreTime(this.#world);
    this.found = rows.size > 0;
    this.#number = Math.max(snapshot, ...journals);
    this.#world.changes.keep((change) => this.#text(change));
    // uploads that nobody has any more go with a snapshot
    if (isWhole && !this.#bytes.hasUnused && (await this.#goesOn())) return;
    // of a snapshot that could not be written the journal is there, and would be each time
    if (isLastEmpty && this.#number > snapshot) this.#number -= 1;
    await this.#compact().catch((error: unknown) => {
      if (this.#journal === undefined) throw error;
      this.#withoutSnapshot(error);
    });
  }

  /** Takes the journal that is there for its own, unless it is long. @returns whether it did */
  async #goesOn(): Promise<boolean> {
    const journal = await Journal.open(join(this.#folder, journalName(this.#number)));
    if (journal.bytes > Math.min(LONGEST_AT_START, this.#longestJournal)) {
      await journal.close();
      return false;
    }
    this.#journal = journal;
    await removeOlder(this.#folder, this.#number); // a process that died may have left it
    return true;
  }

  #restore([name, key, value]: SavedRow): void {
    const table = this.#tables.get(name);
    if (table === undefined) throw otherVersion(this.#folder, `table ${name} is not of this version`);
    try {
      table.restore(
        key,
        fromPlain(value, (bytes) => this.#bytes.get(bytes)),
      );
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const field = error.issues[0]?.path.map(String).join(".") ?? "";
      throw otherVersion(this.#folder, `a row of table ${name} (field ${field}) is not of this version`);
    }
  }

  async flush(): Promise<void> {
    await this.#append(this.#opened(), this.#takeChanges());
    const isLong = this.#opened().bytes > this.#longestJournal || this.#bytes.written > this.#mostUploads;
    if (isLong) this.#compactLater();
  }

  /** After the uploads that it tells of. What waits for uploads waits for the same ones or later ones, so lines keep their order. */
  #append(journal: Journal, lines: readonly string[]): Promise<void> {
    const uploads = this.#bytes.save();
    if (uploads === undefined) return journal.append(lines);
    return uploads.then(
      () => journal.append(lines),
      (error: unknown) => {
        throw this.#failed(error);
      },
    );
  }

  /** What changed since the last time, as a line of the journal, or several where one would be too long to be read. @throws what went wrong before */
  #takeChanges(): readonly string[] {
    if (this.#failure !== undefined) throw this.#failure;
    return grouped(this.#world.changes.take(), LONGEST_LINE).map((changes) => `[${changes.join(",")}]`);
  }

  /** The disk is full when an upload comes, say: others' changes may be among those that were taken. */
  #failed(error: unknown): Error {
    this.#failure ??= error instanceof Error ? error : new Error("the state cannot be written", { cause: error });
    return this.#failure;
  }

  /** Writes nothing more. */
  async end(): Promise<void> {
    await this.#compaction;
    await this.#journal?.close();
  }

  /** Where saving goes on nothing is lost: the older snapshot and the journals are still there. */
  #withoutSnapshot(error: unknown): void {
    const says = { error, folder: this.#folder };
    if (this.#failure !== undefined) this.#log.error(says, "the state cannot be written: nothing is saved any more");
    else this.#log.warn(says, "no snapshot could be written; the journal goes on");
  }

  #compactLater(): void {
    this.#compaction ??= this.#compact()
      .catch((error: unknown) => this.#withoutSnapshot(error))
      .finally(() => {
        this.#compaction = undefined;
      });
  }

  #opened(): Journal {
    if (this.#journal === undefined) throw new StateError("the state is not loaded");
    return this.#journal;
  }

  #text({ table, key, value }: RowChange): string {
    const row: SavedRow = [table, key, value === undefined ? null : toPlain(value, (bytes) => this.#bytes.put(bytes))];
    return JSON.stringify(row);
  }

  /**
   * Snapshot of the present, and a new journal from here on. Should the process die in between, the older snapshot and both journals
   * are still there, and give the same.
   */
  async #compact(): Promise<void> {
    const number = this.#number + 1;
    const before = this.#journal;
    const next = await Journal.open(join(this.#folder, journalName(number)));
    let rows: SnapshotLines;
    let handover: Promise<void> | undefined;
    try {
      // from here to the switch nothing may run in between: the snapshot ends where the new journal begins
      const last = this.#takeChanges();
      // what is in the new journal comes after all that is in the old one, on the disk too: no end leaves the later without the earlier
      handover = before && this.#append(before, last);
      if (handover !== undefined) next.follow(handover);
      this.#bytes.begin();
      rows = this.#allRows();
    } catch (error) {
      await next.close();
      throw error;
    }
    this.#journal = next;
    this.#number = number;
    try {
      await handover;
    } catch (error) {
      throw this.#failed(error); // the new journal follows it, and takes nothing either
    } finally {
      await before?.close();
    }
    await writeSnapshot(this.#folder, number, rows);
    await removeOlder(this.#folder, number);
    await this.#bytes.sweep();
  }

  /** As they are now: rows are replaced and never changed, so each may be made a line when its turn to be written comes. */
  #allRows(): SnapshotLines {
    const rows = [...this.#tables.values()].flatMap((table) =>
      [...table.rows()].map(([key, value]) => ({ table: table.name, key, value })),
    );
    const text = (row: RowChange): string => this.#text(row);
    return { length: rows.length, [Symbol.iterator]: () => rows.values().map(text) };
  }
}
