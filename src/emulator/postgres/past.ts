import { appendFile, cp, link, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ADMIN } from "./fresh.ts";
import type { Instance } from "./instance.ts";
import { bringLog, bytesAt, logOf, segmentsIn } from "./log-segments.ts";
import { unfinishedName } from "./template.ts";

/** Points in time to which a database may have to go back: wall times, milliseconds. */
export interface Recoverable {
  readonly fromMs: number;
  readonly nowMs: number;
  /** how long the time to go back is when it is complete, milliseconds */
  readonly lengthMs: number;
}

/** Until just before `atMs` the database was what its copy is with the log up to here. */
interface Moment {
  readonly atMs: number;
  readonly lsn: string;
}

interface Stretch {
  readonly number: number;
  readonly moments: readonly Moment[];
  /** its log is set aside, and nothing is added any more */
  readonly over: boolean;
}

/** A moment and the stretch in which it is. */
export interface FoundMoment {
  readonly number: number;
  readonly lsn: string;
}

/** Log that is read again when a database goes back, bytes, but for what the last second wrote. */
const LONGEST_LOG = 64 * 1024 * 1024;
/** So many stretches reach through all the time to go back: those before it can go. */
const PARTS = 4;

/**
 * What a database was, as PostgreSQL itself goes back to a point in time: copies of its folder, and for each the log of what was written
 * afterwards. A moment is a place in the log, noted before the first write in a second. To go back is to recover a copy as after a crash at
 * that place, so that every value is what it was, also one that was drawn at random or taken from the clock.
 *
 *     <number>/data     the database's folder as it was at the first moment
 *     <number>/moments  a line for each
 *     <number>/log      of a stretch that is over; until then its log is the one in the database's own folder
 */
export class Past {
  readonly #folder: string;
  #stretches: readonly Stretch[];

  private constructor(folder: string, stretches: readonly Stretch[]) {
    this.#folder = folder;
    this.#stretches = stretches;
  }

  /** @param folder need not be there */
  static async load(folder: string): Promise<Past> {
    const names = await readdir(folder).catch(() => []);
    const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
    const inOrder = numbers.toSorted((a, b) => a - b);
    return new Past(folder, await Promise.all(inOrder.map((number) => readStretch(folder, number))));
  }

  /** Whether something may be written without a note: there is one of this second already. */
  isNoted({ nowMs }: Recoverable): boolean {
    const latest = this.#open?.moments.at(-1);
    return latest !== undefined && second(nowMs) <= second(latest.atMs);
  }

  /** Notes what a database is before it is changed. @param database keeps its log, and is asked nothing else meanwhile @param folder its own */
  async note(database: Instance, folder: string, time: Recoverable): Promise<void> {
    const stretch = this.#goesOn(time) ?? (await this.#begin(database, folder, time));
    // on the disk when it answers, so that no crash takes back a place that is noted
    const lsn = await ask(database, "select pg_logical_emit_message(false, 'moment', '', true)");
    await appendFile(this.#of(stretch, "moments"), `${time.nowMs} ${lsn}\n`, { mode: 0o600 });
    this.#replace({ ...stretch, moments: [...stretch.moments, { atMs: time.nowMs, lsn }] });
  }

  /** Sets the log aside: the database's folder is about to go. */
  async end(folder: string): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    const log = this.#of(open, "log");
    const unfinished = unfinishedName(log);
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished);
    // the same files: a database that goes on with the last of them changes nothing before the places that are noted
    for (const name of await segmentsIn(logOf(folder))) await link(join(logOf(folder), name), join(unfinished, name));
    await rename(unfinished, log);
    this.#replace({ ...open, over: true });
  }

  /** What is to be recovered for a time; undefined: nothing was written since. */
  at(timeMs: number): FoundMoment | undefined {
    return this.#stretches
      .flatMap(({ number, moments }) => moments.map((moment) => ({ number, ...moment })))
      .find(({ atMs }) => atMs > timeMs);
  }

  /** Makes a data folder that recovers, at its next start, to what the database was. Every stretch is over. */
  async bringBack({ number, lsn }: FoundMoment, folder: string): Promise<void> {
    await cp(join(this.#folder, String(number), "data"), folder, { recursive: true });
    await bringLog(join(this.#folder, String(number), "log"), folder, lsn);
  }

  /** Removes all of it. */
  async forget(): Promise<void> {
    if (this.#stretches.length === 0) return;
    this.#stretches = [];
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #open(): Stretch | undefined {
    const last = this.#stretches.at(-1);
    return last?.over === false ? last : undefined;
  }

  /** The open stretch, unless it is too long. */
  #goesOn({ nowMs, lengthMs }: Recoverable): Stretch | undefined {
    const open = this.#open;
    const [first, last] = [open?.moments[0], open?.moments.at(-1)];
    if (first === undefined || last === undefined) return open;
    const isLong = nowMs - first.atMs > lengthMs / PARTS || bytesAt(last.lsn) - bytesAt(first.lsn) > LONGEST_LOG;
    return isLong ? undefined : open;
  }

  async #begin(database: Instance, folder: string, { fromMs }: Recoverable): Promise<Stretch> {
    await ask(database, "checkpoint");
    const needed = await ask(database, "select redo_wal_file from pg_control_checkpoint()");
    await this.end(folder);
    await this.#forgetBefore(fromMs);
    for (const name of await segmentsIn(logOf(folder))) if (name < needed) await rm(join(logOf(folder), name));
    const stretch: Stretch = { number: (this.#stretches.at(-1)?.number ?? 0) + 1, moments: [], over: false };
    const unfinished = unfinishedName(this.#of(stretch));
    await rm(unfinished, { recursive: true, force: true });
    await cp(folder, join(unfinished, "data"), { recursive: true }); // as a crash would leave it now
    await rename(unfinished, this.#of(stretch));
    this.#stretches = [...this.#stretches, stretch];
    return stretch;
  }

  /** What is asked for from a time on is found in the stretch that had begun then, or in a later one. */
  async #forgetBefore(timeMs: number): Promise<void> {
    const begun = this.#stretches.findLastIndex(({ moments: [first] }) => first !== undefined && first.atMs <= timeMs);
    for (const gone of this.#stretches.slice(0, Math.max(0, begun))) {
      await rm(this.#of(gone), { recursive: true, force: true });
    }
    this.#stretches = this.#stretches.slice(Math.max(0, begun));
  }

  #replace(stretch: Stretch): void {
    this.#stretches = [...this.#stretches.filter(({ number }) => number !== stretch.number), stretch];
  }

  #of({ number }: Stretch, ...path: readonly string[]): string {
    return join(this.#folder, String(number), ...path);
  }
}

async function readStretch(folder: string, number: number): Promise<Stretch> {
  const own = join(folder, String(number));
  const text = await readFile(join(own, "moments"), "utf8").catch(() => "");
  const moments = [...text.matchAll(/^(\d+) ([0-9A-F]+\/[0-9A-F]+)$/gm)].map(([, atMs, lsn = ""]) => ({
    atMs: Number(atMs),
    lsn,
  }));
  return { number, moments, over: (await readdir(own)).includes("log") };
}

/** The first second that had begun at no time before: times to go back to are whole seconds. */
function second(timeMs: number): number {
  return Math.ceil(timeMs / 1000);
}

async function ask(database: Instance, sql: string): Promise<string> {
  const outcome = await database.run({ steps: [{ sql, role: ADMIN }], searchPath: "" }, LONGEST_MS);
  if (outcome.kind === "refused") throw new Error(`${sql}: ${outcome.error.message}`);
  return outcome.results[0]?.rows[0]?.[0] ?? "";
}

/** For work of ours, which is not what callers are limited in. */
const LONGEST_MS = 60_000;
