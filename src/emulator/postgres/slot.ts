import { DatabaseUnavailableError } from "./database.ts";
import type { Instance } from "./instance.ts";
import type { Past } from "./past.ts";

interface SlotOptions {
  /** what must be over before anything begins here */
  readonly after: Promise<unknown>;
  /** called when something has ended here */
  readonly afterwards: () => void;
  /** happens then, before anything else begins; never rejects */
  readonly between: (slot: DatabaseSlot) => Promise<void>;
}

/** The place of one project's database: what is wanted of it happens one after the other, whether it is open or parked. */
export class DatabaseSlot {
  readonly ref: string;
  readonly folder: string;
  /** the open database; undefined while it is parked */
  instance: Instance | undefined;
  /** the open database that is being made to take its place */
  draft: Instance | undefined;
  /** what the database was; undefined until somebody needs it */
  past: Past | undefined;
  /** counts uses of all slots: the lowest was used longest ago */
  lastUse = 0;
  /** the project is gone */
  dropped = false;
  /** The database is being closed, or comes to it next, for somebody who waits. */
  #givesWay = false;
  readonly #afterwards: () => void;
  readonly #between: () => Promise<void>;
  #tail: Promise<unknown>;
  #pending = 0;

  constructor(ref: string, folder: string, { after, afterwards, between }: SlotOptions) {
    this.ref = ref;
    this.folder = folder;
    this.#tail = after.catch(() => undefined);
    this.#afterwards = afterwards;
    this.#between = () => between(this);
  }

  /** Nothing is under way or wanted. */
  get idle(): boolean {
    return this.#pending === 0;
  }

  /** A database is open, and is not closed for somebody who waits already: its room is given once. */
  get canGiveWay(): boolean {
    return this.instance !== undefined && !this.#givesWay;
  }

  /** Closes the database for somebody who waits. */
  async givingWay(close: () => Promise<void>): Promise<void> {
    this.#givesWay = true;
    try {
      await close();
    } finally {
      this.#givesWay = false;
    }
  }

  /** Ends at once what is open here, and a job under way fails. */
  async kill(): Promise<void> {
    await Promise.all([this.instance?.kill(), this.draft?.kill()]);
  }

  /** Begins when everything wanted before has ended. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    const done = this.#tail.then(work).finally(() => {
      this.#pending -= 1;
      this.#afterwards();
    });
    this.#tail = done.catch(() => undefined).then(this.#between);
    return done;
  }
}

/** What fails because its project has gone meanwhile is told so. */
export async function orDropped<T>(slot: DatabaseSlot, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw slot.dropped ? new DatabaseUnavailableError("dropped", { cause: error }) : error;
  }
}
