import { closeSync, mkdirSync, openSync, readdirSync, rmSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../base/log.ts";
import { writeWhole } from "../../base/write-whole.ts";
import { KEPT, type KeptRequests, type LogEntry, logEntrySchema } from "../http/request-log.ts";
import { eachLine } from "./lines.ts";
import { StateError } from "./state-error.ts";

/**
 * The request log in the data folder: a line of JSON for each request, written before its answer leaves, so that `kill -9` takes none of
 * what was answered. Nothing is synced for it, as for the databases: it outlives the process, not a failure of the machine. Two files at most:
 * when the newer one is full, the older one goes. A line that cannot be read or written is left out: no request fails for it.
 */

/** @param folder made when it is not there @throws StateError when it cannot be, or not be read */
export function openKeptRequests(folder: string, log: Logger): KeptRequests & Disposable {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new RequestFiles(folder, log);
  } catch (error) {
    throw new StateError(`the request log in ${folder} cannot be opened`, { cause: error });
  }
}

const fileName = (number: number): string => `requests-${number}.jsonl`;

class RequestFiles implements KeptRequests, Disposable {
  readonly #folder: string;
  readonly #log: Logger;
  #found: readonly LogEntry[];
  /** of the file that is written */
  #number: number;
  #lines: number;
  #file: number | undefined;

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
    const numbers = this.#numbers();
    this.#number = numbers.at(-1) ?? 1;
    const read = numbers.slice(-2).map((number) => this.#read(number));
    const newest = read.at(-1);
    this.#lines = newest?.lines ?? 0;
    this.#found = read
      .flatMap(({ entries }) => entries)
      .toSorted((a, b) => a.sequence - b.sequence)
      .slice(-KEPT);
    // half of a line that a full disk left would spoil the next one
    if (newest !== undefined) truncateSync(join(folder, fileName(this.#number)), newest.whole);
    this.#file = this.#open();
  }

  takeFound(): readonly LogEntry[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  add(entry: LogEntry): void {
    if (this.#file === undefined) return;
    try {
      if (this.#lines >= KEPT) this.#turnOver();
      const file = this.#file;
      writeWhole(`${JSON.stringify(entry)}\n`, (rest) => writeSync(file, rest));
      this.#lines += 1;
    } catch (error) {
      this.#giveUp(error);
    }
  }

  clear(): void {
    if (this.#file === undefined) return;
    try {
      this.#turnOver();
      this.#removeBelow(this.#number);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Never throws: nobody could do anything about it. */
  [Symbol.dispose](): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    try {
      closeSync(file);
    } catch (error) {
      this.#log.warn({ error, folder: this.#folder }, "the request log may lack its last lines");
    }
  }

  #turnOver(): void {
    this[Symbol.dispose]();
    this.#number += 1;
    this.#lines = 0;
    this.#file = this.#open();
    this.#removeBelow(this.#number - 1);
  }

  #open(): number {
    return openSync(join(this.#folder, fileName(this.#number)), "a", 0o600);
  }

  #removeBelow(number: number): void {
    for (const one of this.#numbers()) if (one < number) rmSync(join(this.#folder, fileName(one)), { force: true });
  }

  /** The state goes on without it: what is lost are lines of a log. */
  #giveUp(error: unknown): void {
    this.#log.warn({ error, folder: this.#folder }, "the request log cannot be written; it ends with this process");
    this[Symbol.dispose]();
  }

  #numbers(): readonly number[] {
    return readdirSync(this.#folder)
      .flatMap((name) => /^requests-(\d+)\.jsonl$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  }

  /** `whole`: bytes up to the end of the last whole line. */
  #read(number: number): { readonly entries: readonly LogEntry[]; readonly lines: number; readonly whole: number } {
    const entries: LogEntry[] = [];
    let lines = 0;
    const { whole } = eachLine(join(this.#folder, fileName(number)), (line) => {
      entries.push(...entryOf(line));
      lines += 1;
    });
    return { entries, lines, whole };
  }
}

function entryOf(line: string): readonly LogEntry[] {
  try {
    const parsed = logEntrySchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return []; // no JSON
  }
}
