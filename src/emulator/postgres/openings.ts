import { basename } from "node:path";
import { DatabaseUnavailableError } from "./database.ts";
import type { Folders } from "./folders.ts";
import { freshTemplate, Instance } from "./instance.ts";
import type { PoolOptions } from "./pool-options.ts";

interface OpeningsOptions extends Pick<PoolOptions, "limits" | "clock" | "log"> {
  readonly folders: Folders;
  /** Closes a database that nobody needs now; undefined where there is none. */
  readonly giveWay: () => Promise<void> | undefined;
}

interface Opening {
  /** nothing of its log is removed by itself; default: what a start needs no more is */
  readonly keepsLog?: boolean;
  /** Refuses by throwing what is wanted no more once there is room. */
  readonly check: () => unknown;
}

/** Opens databases, as many at the same time as there may be. */
export class Openings {
  readonly #options: OpeningsOptions;
  #open = 0;
  /** in the order in which they began to wait */
  readonly #waiting: (() => void)[] = [];
  /** databases that are being closed for whoever waits */
  #leaving = 0;

  constructor(options: OpeningsOptions) {
    this.#options = options;
  }

  /** Opens a folder when there is room for one more. Whoever has closed it says so (`left`). @throws DatabaseUnavailableError; what `check` throws */
  async start(folder: string, { keepsLog = false, check }: Opening): Promise<Instance> {
    await this.#room();
    try {
      check();
    } catch (error) {
      this.left();
      throw error;
    }
    return this.#started(folder, keepsLog);
  }

  async #started(folder: string, keepsLog: boolean): Promise<Instance> {
    const { clock, folders, log } = this.#options;
    try {
      if (await folders.has(folder)) return await Instance.open({ folder, clock, keepsLog });
      await folders.make();
      const template = await freshTemplate(folders.of("template.unfinished"));
      return await Instance.open({ folder, template, clock, keepsLog });
    } catch (error) {
      this.left();
      log.error({ error, folder }, "a database does not start");
      throw unopened(error, folder);
    }
  }

  /** One that was opened is closed. */
  left(): void {
    this.#open -= 1;
    this.wake();
  }

  /** Whether somebody waits for room for whom no database is being closed yet. */
  get isShort(): boolean {
    return this.#waiting.length > this.#leaving;
  }

  /** Closes a database for whoever waits. */
  async giveUp(close: () => Promise<void>): Promise<void> {
    this.#leaving += 1;
    try {
      await close();
    } finally {
      this.#leaving -= 1;
      this.wake(); // fewer may be open by now than when it began
    }
  }

  /** Something has ended: whoever waits longest gets the room that there is, and for the others what nobody needs is closed. */
  wake(): void {
    while (this.#waiting.length > 0 && this.#open < Math.max(1, this.#options.limits().open)) {
      this.#open += 1;
      this.#waiting.shift()?.();
    }
    while (this.isShort) {
      const given = this.#options.giveWay();
      if (given === undefined) return;
      void this.giveUp(() => given);
    }
  }

  /** Waits until one more may be open, and takes that place. */
  async #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.wake();
    await promise;
  }
}

/** What the thread of a database said of its opening; one that said nothing was ended by whoever wants it no more. */
function unopened(error: unknown, folder: string): DatabaseUnavailableError {
  let said = error;
  while (said instanceof Error && said.cause !== undefined) said = said.cause;
  if (said instanceof DatabaseUnavailableError) return new DatabaseUnavailableError("ended", { cause: error });
  const why = `${basename(folder)}: ${said instanceof Error ? said.message : String(said)}`;
  return new DatabaseUnavailableError("unopened", { cause: error, why });
}
