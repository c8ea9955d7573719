import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import {
  type Databases,
  type DatabaseTurn,
  DatabaseUnavailableError,
  type RunJob,
  type SqlJob,
  type SqlOutcome,
} from "./database.ts";
import { Folders } from "./folders.ts";
import { ADMIN } from "./fresh.ts";
import { freshTemplate, Instance } from "./instance.ts";
import { Past, type Recoverable } from "./past.ts";
import type { PoolLimits, PoolOptions } from "./pool-options.ts";
import { DatabaseSlot } from "./slot.ts";
import { EMPTY_TABLES } from "./empty-tables.ts";
import { unfinishedName } from "./template.ts";

/** Opens databases when they are asked something, and parks the one that was used longest ago when another needs its place. */
export class DatabasePool implements Databases {
  readonly #folders: Folders;
  readonly #limits: () => PoolLimits;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #isWanted: (ref: string) => boolean;
  readonly #refusal: (ref: string) => Error | undefined;
  readonly #recoverable: (ref: string) => Recoverable | undefined;
  readonly #saved: () => Promise<void>;
  readonly #slots = new Map<string, DatabaseSlot>();
  /** removals under way by ref: a new database of the same ref waits for its own */
  readonly #removals = new Map<string, Promise<void>>();
  /** refs whose removal could not be saved: the next start finds their projects again, with the databases that are still there */
  readonly #kept = new Set<string>();
  #open = 0;
  #uses = 0;
  #stopped = false;
  #waiting: (() => void)[] = [];

  constructor({ folder, limits, clock, log, isWanted = () => true, refusal, recoverable, saved }: PoolOptions) {
    this.#folders = new Folders(folder);
    this.#limits = limits;
    this.#clock = clock;
    this.#log = log;
    this.#isWanted = isWanted;
    this.#refusal = refusal ?? (() => undefined);
    this.#recoverable = recoverable ?? (() => undefined);
    this.#saved = saved ?? (() => Promise.resolve());
  }

  run(ref: string, job: SqlJob): Promise<SqlOutcome> {
    const slot = this.#slotOf(ref);
    return slot.enqueue(async () => {
      this.#checkWanted(slot);
      const refusal = this.#refusal(ref);
      if (refusal !== undefined) throw refusal;
      return this.#runIn(slot, job);
    });
  }

  inTurn<T>(ref: string, work: (turn: DatabaseTurn) => Promise<T>): Promise<T> {
    const slot = this.#slotOf(ref);
    return slot.enqueue(async () => {
      this.#checkWanted(slot);
      return work({
        run: (job) => this.#runIn(slot, job),
        rebuild: (fill) => this.#rebuild(slot, fill),
        restore: (timeMs) => this.#restore(slot, timeMs),
      });
    });
  }

  async exists(ref: string): Promise<boolean> {
    return this.#folders.has(this.#folders.of(ref));
  }

  async clone(from: string, to: string, { data }: { readonly data: boolean }): Promise<void> {
    const source = this.#slotOf(from);
    const target = this.#slotOf(to);
    const copy = await source.enqueue(async () => {
      this.#checkWanted(source);
      if (!(await this.#folders.has(source.folder))) return undefined; // as fresh as the copy will be
      await this.#park(source);
      return this.#folders.copy(source.folder, target.folder);
    });
    try {
      if (copy !== undefined && !data) await this.#inPlace(copy, (instance) => this.#empty(instance));
      await target.enqueue(async () => {
        this.#check(target);
        await this.#leave(target);
        if (copy === undefined) await this.#folders.removeOne(target.folder);
        else await this.#folders.finish(copy, target.folder);
      });
    } catch (error) {
      if (copy !== undefined) await this.#folders.discard(copy);
      throw error;
    }
  }

  drop(ref: string): void {
    const slot = this.#slotOf(ref);
    slot.dropped = true;
    this.#slots.delete(ref);
    void slot.instance?.kill();
    const removal = this.#remove(slot)
      .catch((error: unknown) => this.#log.error({ error, ref }, "the database of a removed project is still there"))
      .finally(() => {
        if (this.#removals.get(ref) === removal) this.#removals.delete(ref);
      });
    this.#removals.set(ref, removal);
  }

  async gaveWay(): Promise<void> {
    await Promise.all([...this.#removals].filter(([ref]) => this.#isWanted(ref)).map(([, removal]) => removal));
  }

  async #remove(slot: DatabaseSlot): Promise<void> {
    // what removes a project is at it until the next microtask, and what it changes is saved as a whole
    const saved = Promise.allSettled([Promise.resolve().then(this.#saved)]);
    await slot.enqueue(async () => {
      await this.#end(slot);
      const [{ status }] = await saved;
      if (status === "rejected") this.#kept.add(slot.ref); // why, whoever asked for the change is told
      else for (const folder of [slot.folder, this.#folders.pastOf(slot.ref)]) await this.#folders.removeOne(folder);
    });
  }

  async retain(refs: ReadonlySet<string>): Promise<void> {
    await this.#folders.retain(refs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const ended = [...this.#slots.values()].map(async (slot) => {
      if (!slot.idle) await slot.instance?.kill();
      await slot.enqueue(() => this.#park(slot));
    });
    await Promise.all([...ended, ...this.#removals.values()]);
    await this.#folders.end();
  }

  #slotOf(ref: string): DatabaseSlot {
    const known = this.#slots.get(ref);
    if (known !== undefined) return known;
    const after = this.#removals.get(ref) ?? Promise.resolve();
    const slot = new DatabaseSlot(ref, this.#folders.of(ref), { after, afterwards: () => this.#wake() });
    this.#slots.set(ref, slot);
    return slot;
  }

  #rebuild<T>(slot: DatabaseSlot, fill: (run: RunJob) => Promise<T>): Promise<T> {
    return this.#replace(slot, (draft) =>
      this.#inPlace(draft, (instance) => fill((job) => instance.run(job, this.#limits().timeoutMs))),
    );
  }

  async #restore(slot: DatabaseSlot, timeMs: number): Promise<void> {
    const past = await this.#leave(slot);
    const moment = past.at(timeMs);
    if (moment === undefined) return;
    await this.#replace(slot, async (draft) => {
      await past.bringBack(moment, draft);
      await this.#inPlace(draft, () => Promise.resolve()); // recovers it, while the other one is still there
    });
  }

  /** The project may be gone since the last job of a turn. */
  async #runIn(slot: DatabaseSlot, job: SqlJob): Promise<SqlOutcome> {
    this.#checkWanted(slot);
    try {
      const past = await this.#pastOf(slot);
      if (job.transaction !== "read-only") await this.#note(slot, past);
      const instance = await this.#opened(slot);
      slot.lastUse = this.#uses += 1;
      return await instance.run(job, this.#limits().timeoutMs);
    } catch (error) {
      throw slot.dropped ? new DatabaseUnavailableError("dropped") : error;
    } finally {
      if (slot.instance?.alive === false) await this.#end(slot);
    }
  }

  #check(slot: DatabaseSlot): void {
    if (slot.dropped) throw new DatabaseUnavailableError("dropped");
    if (this.#stopped || this.#kept.has(slot.ref)) throw new DatabaseUnavailableError("ended");
  }

  #checkWanted(slot: DatabaseSlot): void {
    this.#check(slot);
    if (!this.#isWanted(slot.ref)) throw new DatabaseUnavailableError("dropped");
  }

  /** What the database was, if it can go back to it. */
  async #pastOf(slot: DatabaseSlot): Promise<Past> {
    slot.past ??= await Past.load(this.#folders.pastOf(slot.ref));
    // from here on it may be opened without its log being kept
    if (this.#recoverable(slot.ref) === undefined) await slot.past.forget();
    return slot.past;
  }

  /** Notes what the database is, before it is changed. */
  async #note(slot: DatabaseSlot, past: Past): Promise<void> {
    const time = this.#recoverable(slot.ref);
    if (time === undefined || past.isNoted(time)) return;
    if (slot.instance?.keepsLog === false) await this.#park(slot);
    await past.note(await this.#opened(slot), slot.folder, time);
  }

  /** Parks a database whose folder is about to give way to another; what it was stays known. */
  async #leave(slot: DatabaseSlot): Promise<Past> {
    const past = await this.#pastOf(slot);
    if (await this.#folders.has(slot.folder)) await this.#note(slot, past);
    await this.#park(slot);
    await past.end(slot.folder);
    return past;
  }

  async #opened(slot: DatabaseSlot): Promise<Instance> {
    if (slot.instance?.alive === true) return slot.instance;
    await this.#end(slot);
    slot.instance = await this.#start(slot.folder, this.#recoverable(slot.ref) !== undefined);
    if (slot.dropped || this.#stopped) await slot.instance.kill();
    return slot.instance;
  }

  /** Opens a folder when there is room for one more. */
  async #start(folder: string, keepsLog = false): Promise<Instance> {
    await this.#room();
    try {
      const clock = this.#clock;
      if (await this.#folders.has(folder)) return await Instance.open({ folder, clock, keepsLog });
      await this.#folders.make();
      const template = await freshTemplate(this.#folders.of("template.unfinished"));
      return await Instance.open({ folder, template, clock, keepsLog });
    } catch (error) {
      this.#left();
      this.#log.error({ error, folder }, "a database does not start");
      throw new DatabaseUnavailableError("ended", { cause: error });
    }
  }

  /** Makes another database in the place of one, which stays until the other is complete. */
  async #replace<T>(slot: DatabaseSlot, make: (draft: string) => Promise<T>): Promise<T> {
    await this.#leave(slot);
    const draft = unfinishedName(slot.folder);
    await this.#folders.discard(draft);
    try {
      const made = await make(draft);
      this.#checkWanted(slot);
      await this.#folders.finish(draft, slot.folder);
      return made;
    } catch (error) {
      await this.#folders.discard(draft);
      throw error;
    }
  }

  /** Works in a folder that is nobody's place yet. */
  async #inPlace<T>(folder: string, work: (instance: Instance) => Promise<T>): Promise<T> {
    const instance = await this.#start(folder);
    try {
      return await work(instance);
    } finally {
      await instance.close();
      this.#left();
    }
  }

  async #empty(instance: Instance): Promise<void> {
    const job: SqlJob = { steps: [{ sql: EMPTY_TABLES, role: ADMIN }] };
    const outcome = await instance.run(job, this.#limits().timeoutMs);
    if (outcome.kind === "refused") throw new Error(outcome.error.message);
  }

  /** Waits until one more may be open, and takes that place. */
  async #room(): Promise<void> {
    while (this.#open >= Math.max(1, this.#limits().open)) {
      const idle = [...this.#slots.values()]
        .filter((slot) => slot.idle && slot.instance !== undefined)
        .toSorted((a, b) => a.lastUse - b.lastUse)[0];
      if (idle === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else await idle.enqueue(() => this.#park(idle));
    }
    this.#open += 1;
  }

  async #park(slot: DatabaseSlot): Promise<void> {
    await slot.instance?.close();
    this.#forget(slot);
  }

  async #end(slot: DatabaseSlot): Promise<void> {
    await slot.instance?.kill();
    this.#forget(slot);
  }

  /** The database of a slot is open no more. */
  #forget(slot: DatabaseSlot): void {
    if (slot.instance === undefined) return;
    slot.instance = undefined;
    this.#left();
  }

  #left(): void {
    this.#open -= 1;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
