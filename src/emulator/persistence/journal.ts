import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { identityAt, identityOf } from "../file-identity.ts";
import { openDurably } from "./durable.ts";
import { chunks } from "./lines.ts";
import { damaged } from "./state-error.ts";

/**
 * A file to which lines are only ever added. `append` resolves when the lines are on the disk; lines that come while a write is under
 * way go with the next one, so that many requests share a sync.
 */
export class Journal {
  readonly #path: string;
  readonly #file: FileHandle;
  /** which file it is */
  readonly #identity: string;
  #waiting: string[] = [];
  /** the last write that began */
  #running: Promise<void> | undefined;
  /** the write that takes what waits */
  #next: Promise<void> | undefined;
  #bytes: number;
  #failure: Error | undefined;

  private constructor(path: string, file: FileHandle, { size, ...found }: BigIntStats) {
    this.#path = path;
    this.#file = file;
    this.#identity = identityOf(found);
    this.#bytes = Number(size);
  }

  /** @param path made when it is not there; it is on the disk before a line is */
  static async open(path: string): Promise<Journal> {
    const file = await openDurably(path);
    return new Journal(path, file, await file.stat({ bigint: true }));
  }

  /** Nothing of this one is written before something else is; should that fail, nothing at all. To be said before anything is added. */
  follow(before: Promise<void>): void {
    this.#running = before.catch((error: unknown) => this.#fail(error));
  }

  /** Bytes in the file and on the way to it. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds lines and waits for them, and for everything added before. Without a line it only waits. What is added later holds nobody up.
   * Rejects, from then on always, when the disk refuses: what is in memory is then more than what is saved.
   */
  async append(lines: readonly string[] = []): Promise<void> {
    this.#check();
    for (const line of lines) {
      this.#waiting.push(line);
      this.#bytes += Buffer.byteLength(line) + 1;
    }
    if (this.#waiting.length > 0) this.#next ??= this.#writeAfter(this.#running);
    await (this.#next ?? this.#running);
    this.#check();
  }

  async close(): Promise<void> {
    await this.append().catch(() => undefined);
    await this.#file.close();
  }

  /** One write of all that waits when the one before it is over. Never rejects. */
  async #writeAfter(before: Promise<void> | undefined): Promise<void> {
    await before;
    this.#running = this.#next;
    this.#next = undefined;
    const lines = this.#waiting;
    this.#waiting = [];
    try {
      this.#check(); // a gap would be worse than an end
      await this.#file.appendFile(chunks(lines));
      await this.#file.datasync();
      // a file that was removed, or moved with its folder, takes lines all the same, and no start ever finds them
      const isRemoved = (await identityAt(this.#path)) !== this.#identity;
      if (isRemoved) throw damaged(dirname(this.#path), "the journal was removed while it was written");
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error("the journal cannot be written", { cause: error });
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
