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
import type { Instance } from "./instance.ts";
import { Openings } from "./openings.ts";
import { Past, type Recoverable } from "./past.ts";
import type { PoolLimits, PoolOptions } from "./pool-options.ts";
import { DatabaseSlot, orDropped } from "./slot.ts";
import { EMPTY_TABLES } from "./empty-tables.ts";
import { unfinishedName } from "./template.ts";

/** Opens databases when they are asked something, and parks the one that was used longest ago when another needs its place. */
export class DatabasePool implements Databases {
  readonly #folders: Folders;
  readonly #openings: Openings;
  readonly #limits: () => PoolLimits;
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
  #uses = 0;
  #stopped = false;

  constructor({ folder, limits, clock, log, isWanted = () => true, refusal, recoverable, saved }: PoolOptions) {
    this.#folders = new Folders(folder);
    this.#openings = new Openings({ folders: this.#folders, limits, clock, log, giveWay: () => this.#giveWay() });
    this.#limits = limits;
    this.#log = log;
    this.#isWanted = isWanted;
    this.#refusal = refusal ?? (() => undefined);
    this.#recoverable = recoverable ?? (() => undefined);
    this.#saved = saved ?? (() => Promise.resolve());
  }

  run(ref: string, job: SqlJob | (() => SqlJob)): Promise<SqlOutcome> {
    const slot = this.#slotOf(ref);
    return slot.enqueue(() =>
      this.#runIn(slot, () => {
        const refusal = this.#refusal(ref);
        if (refusal !== undefined) throw refusal;
        return typeof job === "function" ? job() : job;
      }),
    );
  }

  inTurn<T>(ref: string, work: (turn: DatabaseTurn) => Promise<T>): Promise<T> {
    const slot = this.#slotOf(ref);
    return slot.enqueue(async () => {
      this.#checkWanted(slot);
      return work({
        exists: () => this.#folders.has(slot.folder),
        open: () => this.#use(slot, () => this.#ready(slot)),
        run: (job) => this.#runIn(slot, () => job),
        rebuild: (fill) => orDropped(slot, this.#rebuild(slot, fill)),
        restore: (timeMs, check) => orDropped(slot, this.#restore(slot, timeMs, check)),
      });
    });
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
    await target.enqueue(async () => {
      try {
        this.#check(target);
        if (copy !== undefined && !data) await this.#inPlace(target, copy, (instance) => this.#empty(instance));
        await this.#leave(target);
        if (copy === undefined) await this.#folders.removeOne(target.folder);
        else await this.#folders.finish(copy, target.folder);
      } catch (error) {
        if (copy !== undefined) await this.#folders.discard(copy);
        throw error;
      }
    });
  }

  drop(ref: string): void {
    const slot = this.#slotOf(ref);
    slot.dropped = true;
    this.#slots.delete(ref);
    void slot.kill();
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
      if (!slot.idle) await slot.kill();
      await slot.enqueue(() => this.#park(slot));
    });
    await Promise.all([...ended, ...this.#removals.values()]);
    await this.#folders.end();
  }

  #slotOf(ref: string): DatabaseSlot {
    const known = this.#slots.get(ref);
    if (known !== undefined) return known;
    const after = this.#removals.get(ref) ?? Promise.resolve();
    const slot = new DatabaseSlot(ref, this.#folders.of(ref), {
      after,
      afterwards: () => this.#openings.wake(),
      between: (one) => this.#giveUp(one),
    });
    this.#slots.set(ref, slot);
    return slot;
  }

  async #rebuild<T>(slot: DatabaseSlot, fill: (run: RunJob) => Promise<T>): Promise<T> {
    await this.#leave(slot);
    return this.#replace(slot, (draft) =>
      this.#inPlace(slot, draft, (instance) => fill((job) => instance.run(job, this.#limits().timeoutMs))),
    );
  }

  async #restore(slot: DatabaseSlot, timeMs: number, check: () => void): Promise<void> {
    // asked once: the way back stays until it was gone, be it given up meanwhile or reach less far
    const time = this.#recoverable(slot.ref);
    const past = await this.#leave(slot, time && { ...time, fromMs: Math.min(time.fromMs, timeMs) });
    const moment = past.at(timeMs);
    if (moment === undefined) return;
    await this.#replace(slot, async (draft) => {
      await past.bringBack(moment, draft);
      // recovers it, while the other one is still there
      await this.#inPlace(slot, draft, () => {
        check();
        return Promise.resolve();
      });
    });
  }

  /** @param job what is run, asked for anew when it can begin: until then others have had the room for one more database */
  #runIn(slot: DatabaseSlot, job: () => SqlJob): Promise<SqlOutcome> {
    return this.#use(slot, async () => {
      const wanted = (): SqlJob => {
        this.#checkWanted(slot); // the project may be gone since the last job of a turn
        return job();
      };
      wanted(); // what is refused already opens nothing
      await this.#ready(slot, wanted); // nor does what is refused once there is room
      const time = this.#recoverable(slot.ref); // of now, and no time before it had room
      const past = await this.#pastOf(slot, time);
      if (wanted().transaction !== "read-only") await this.#note(slot, past, time);
      const instance = await this.#opened(slot, time);
      slot.lastUse = this.#uses += 1;
      const outcome = instance.run(wanted(), this.#limits().timeoutMs); // begins at once
      return this.#folders.keeping(slot.folder, instance.identity, outcome);
    });
  }

  /** Opens a database, when there is room for one more. */
  async #ready(slot: DatabaseSlot, check?: () => unknown): Promise<void> {
    const time = this.#recoverable(slot.ref);
    await this.#pastOf(slot, time);
    await this.#opened(slot, time, check);
  }

  async #use<T>(slot: DatabaseSlot, work: () => Promise<T>): Promise<T> {
    try {
      return await orDropped(slot, work());
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

  /** What the database was, if it can go back to it. @param time what is known of that at the begin of a job, and holds until its end */
  async #pastOf(slot: DatabaseSlot, time: Recoverable | undefined): Promise<Past> {
    slot.past ??= await Past.load(this.#folders.pastOf(slot.ref));
    // from here on it may be opened without its log being kept
    if (time === undefined) await slot.past.forget();
    return slot.past;
  }

  /** Notes what the database is, before it is changed. */
  async #note(slot: DatabaseSlot, past: Past, time: Recoverable | undefined): Promise<void> {
    if (time === undefined || past.isNoted(time)) return;
    if (slot.instance?.keepsLog === false) await this.#park(slot);
    await past.note(await this.#opened(slot, time), slot.folder, time);
  }

  /** Parks a database whose folder is about to give way to another; what it was stays known. */
  async #leave(slot: DatabaseSlot, time = this.#recoverable(slot.ref)): Promise<Past> {
    const past = await this.#pastOf(slot, time);
    if (await this.#folders.has(slot.folder)) await this.#note(slot, past, time);
    await this.#park(slot);
    await past.end(slot.folder);
    return past;
  }

  async #opened(
    slot: DatabaseSlot,
    time: Recoverable | undefined,
    check: () => unknown = () => this.#checkWanted(slot),
  ): Promise<Instance> {
    if (slot.instance?.alive === true) return slot.instance;
    await this.#end(slot);
    slot.instance = await this.#openings.start(slot.folder, { keepsLog: time !== undefined, check });
    if (slot.dropped || this.#stopped) await slot.instance.kill();
    return slot.instance;
  }

  /** Makes another database in the place of one that was left, and stays until the other is complete. */
  async #replace<T>(slot: DatabaseSlot, make: (draft: string) => Promise<T>): Promise<T> {
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

  /** Works in a folder that is nobody's place yet, and that of a slot afterwards. */
  async #inPlace<T>(slot: DatabaseSlot, folder: string, work: (instance: Instance) => Promise<T>): Promise<T> {
    const instance = await this.#openings.start(folder, { check: () => this.#check(slot) });
    slot.draft = instance;
    try {
      this.#check(slot); // it may have ended while this one started
      return await work(instance);
    } finally {
      slot.draft = undefined;
      await instance.close();
      this.#openings.left();
    }
  }

  async #empty(instance: Instance): Promise<void> {
    const job: SqlJob = { steps: [{ sql: EMPTY_TABLES, role: ADMIN }], searchPath: "" };
    const outcome = await instance.run(job, this.#limits().timeoutMs);
    if (outcome.kind === "refused") throw new Error(outcome.error.message);
  }

  /** Parks the database that was used longest ago, if there is one that nobody needs. */
  #giveWay(): Promise<void> | undefined {
    const [idle] = [...this.#slots.values()]
      .filter((slot) => slot.idle && slot.canGiveWay)
      .toSorted((a, b) => a.lastUse - b.lastUse);
    return idle?.givingWay(() => idle.enqueue(() => this.#park(idle)));
  }

  /** Of a database of which more is wanted all the time the others would wait for ever. */
  async #giveUp(slot: DatabaseSlot): Promise<void> {
    if (!slot.canGiveWay || !this.#openings.isShort) return;
    await this.#openings.giveUp(() => slot.givingWay(() => this.#park(slot)));
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
    this.#openings.left();
  }
}
