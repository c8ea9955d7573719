import type { Clock } from "../../base/clock.ts";
import { Gathering } from "./gathering.ts";
import type { Noticed } from "./redeploy-rules.ts";
import { Refusals } from "./refusals.ts";
import type { SettingsWish, UpdateOutcome } from "./wish.ts";

/** What is kept in memory of each function from one run to the next, by the uid of its object. Lost with the process, which costs a look at most. */
export class FunctionMemory {
  readonly refusals: Refusals;
  /** when what is not yet seen was deployed, as a mark of the list */
  readonly unseen = new Map<string, number>();
  /** functions that are to be deployed again for their environment */
  readonly noticed = new Map<string, Noticed>();
  /** updates of settings that wait for each other */
  readonly gathering: Gathering<SettingsWish, UpdateOutcome>;
  /** version of the function by the deployment for its environment that was told of last */
  readonly #told = new Map<string, number>();

  constructor(clock: Clock) {
    this.refusals = new Refusals(clock);
    this.gathering = new Gathering(clock);
  }

  /**
   * Tells of a deployment for the environment unless an earlier run of this process did: one that ended before its status was written leaves the
   * deployment to be found by the next run.
   */
  tellOnce(uid: string, version: number, tell: () => void): void {
    if (this.#told.get(uid) === version) return;
    this.#told.set(uid, version);
    tell();
  }

  forget(uid: string): void {
    this.#told.delete(uid);
    this.refusals.forget(uid);
    this.unseen.delete(uid);
    this.noticed.delete(uid);
    this.gathering.forget(uid);
  }

  /** Forgets the functions that are no more: whoever took our finalizer away by hand told nobody the uid. @param there asked only where needed */
  keepOnly(there: () => Iterable<string>): void {
    const gone = new Set([
      ...this.refusals.uids(),
      ...this.unseen.keys(),
      ...this.noticed.keys(),
      ...this.gathering.uids(),
      ...this.#told.keys(),
    ]);
    if (gone.size === 0) return;
    for (const uid of there()) gone.delete(uid);
    for (const uid of gone) this.forget(uid);
  }
}
