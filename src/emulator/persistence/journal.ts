import { type FileHandle, open } from "node:fs/promises";

/**
 * A file to which lines are only ever added. `append` resolves when the lines are on the disk; lines that come while a write is under
 * way go with the next one, so that many requests share a sync.
 */
export class Journal {
  readonly #file: FileHandle;
  #waiting: string[] = [];
  #running: Promise<void> | undefined;
  #bytes: number;
  #failure: Error | undefined;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** @param path made when it is not there */
  static async open(path: string): Promise<Journal> {
    const file = await open(path, "a", 0o600);
    return new Journal(file, (await file.stat()).size);
  }

  /** Bytes in the file and on the way to it. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds a line and waits for it, and for everything added before. Without a line it only waits.
   * Rejects, from then on always, when the disk refuses: what is in memory is then more than what is saved.
   */
  async append(line?: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (line !== undefined) {
      this.#waiting.push(`${line}\n`);
      this.#bytes += Buffer.byteLength(line) + 1;
    }
    while (this.#running !== undefined) await this.#running;
    if (this.#waiting.length === 0) return this.#check();
    this.#running = this.#write();
    await this.#running;
    this.#check();
  }

  async close(): Promise<void> {
    await this.append().catch(() => undefined);
    await this.#file.close();
  }

  async #write(): Promise<void> {
    const text = this.#waiting.join("");
    this.#waiting = [];
    try {
      await this.#file.appendFile(text);
      await this.#file.datasync();
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error("the journal cannot be written", { cause: error });
    } finally {
      this.#running = undefined;
    }
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}
