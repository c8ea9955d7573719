import { DatabaseUnavailableError } from "./database.ts";
import type { Folders } from "./folders.ts";
import { freshTemplate, Instance } from "./instance.ts";
import type { PoolOptions } from "./pool-options.ts";

interface OpeningsOptions extends Pick<PoolOptions, "limits" | "clock" | "log"> {
  readonly folders: Folders;
  /** Closes a database that nobody needs now; undefined where there is none. */
  readonly giveWay: () => Promise<void> | undefined;
}

/** Opens databases, as many at the same time as there may be. */
export class Openings {
  readonly #options: OpeningsOptions;
  #open = 0;
  #waiting: (() => void)[] = [];

  constructor(options: OpeningsOptions) {
    this.#options = options;
  }

  /** Opens a folder when there is room for one more. Whoever has closed it says so (`left`). @throws DatabaseUnavailableError */
  async start(folder: string, keepsLog = false): Promise<Instance> {
    const { clock, folders, log } = this.#options;
    await this.#room();
    try {
      if (await folders.has(folder)) return await Instance.open({ folder, clock, keepsLog });
      await folders.make();
      const template = await freshTemplate(folders.of("template.unfinished"));
      return await Instance.open({ folder, template, clock, keepsLog });
    } catch (error) {
      this.left();
      log.error({ error, folder }, "a database does not start");
      throw new DatabaseUnavailableError("ended", { cause: error });
    }
  }

  /** One that was opened is closed. */
  left(): void {
    this.#open -= 1;
    this.wake();
  }

  /** Something has ended: what waits for room looks again. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Waits until one more may be open, and takes that place. */
  async #room(): Promise<void> {
    while (this.#open >= Math.max(1, this.#options.limits().open)) {
      await (this.#options.giveWay() ?? new Promise<void>((resolve) => this.#waiting.push(resolve)));
    }
    this.#open += 1;
  }
}
