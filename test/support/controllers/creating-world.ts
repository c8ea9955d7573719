import { createOnce } from "../../../src/controllers/shared/create-once.ts";
import type { Intent } from "../../../src/resources/status.ts";

/** A platform and one object that creates something there by name, whatever is lost on the way. */

export const START_MS = Date.UTC(2026, 0, 1);
/** the longest that a create request takes, milliseconds */
export const DEADLINE_MS = 60_000;

/** Something remote. `mine`: made by a request of the object under test. */
interface Thing {
  readonly name: string;
  readonly createdMs: number;
  readonly mine: boolean;
  readonly others: boolean;
}

/** What becomes of one create request. */
export type Fate =
  | "answered"
  /** takes effect, the answer is lost */
  | "lost"
  /** the answer is lost, and the effect comes as late as it can while the request may still be on its way */
  | "late"
  /** the answer is lost, and nothing ever comes of it */
  | "dropped"
  /** refused in a way that proves that nothing happened */
  | "refused"
  /** the process dies after recording the intent, before sending */
  | "unsent"
  /** takes effect; the process dies before it can note what it got */
  | "unnoted";

class Lost extends Error {}
export class Refused extends Error {}
class NameTaken extends Error {}
class Died extends Error {}

/** The remote side and the one object, across all lives of the operator. */
export class CreatingWorld {
  nowMs = START_MS;
  things: readonly Thing[] = [];
  intent: Intent | undefined;
  /** what the object recorded as its own */
  has: Thing | undefined;
  name = "a";
  /** throws where another object has the name */
  requireName = (): void => undefined;
  /** what happens once a look has found what it finds */
  onLook = (): void => undefined;
  readonly #underway: { readonly name: string; readonly arrivesAtMs: number }[] = [];
  readonly #uniqueNames: boolean;

  constructor(uniqueNames: boolean) {
    this.#uniqueNames = uniqueNames;
  }

  pass(ms: number): void {
    this.nowMs += ms;
    for (const request of this.#underway.splice(0)) {
      if (request.arrivesAtMs <= this.nowMs) this.#take(request.name, request.arrivesAtMs);
      else this.#underway.push(request);
    }
  }

  /** Somebody else makes a thing. */
  foreign(name: string): void {
    if (this.#uniqueNames && this.things.some((thing) => thing.name === name)) return;
    this.things = [...this.things, { name, createdMs: this.nowMs, mine: false, others: false }];
  }

  #take(name: string, createdMs = this.nowMs): Thing | undefined {
    if (this.#uniqueNames && this.things.some((thing) => thing.name === name)) return undefined;
    const thing: Thing = { name, createdMs, mine: true, others: false };
    this.things = [...this.things, thing];
    return thing;
  }

  /** One run of the operator; whatever it throws ends the run alone. */
  async run(fate: Fate, adopt = false): Promise<unknown> {
    try {
      const result = await createOnce<Thing, Thing>({
        uid: "uid",
        name: this.name,
        fingerprint: "f",
        intent: this.intent,
        uniqueNames: this.#uniqueNames,
        requestDeadlineMs: DEADLINE_MS,
        adopt,
        serverNow: () => this.nowMs,
        requireName: () => this.requireName(),
        lookup: () => this.#look(this.name),
        lookupFormer: (name) => this.#look(name),
        recordIntent: (intent) => {
          this.intent = intent;
          return fate === "unsent" ? Promise.reject(new Died()) : Promise.resolve();
        },
        restoreIntent: (intent) => {
          this.intent = intent;
        },
        create: async (beforeSending) => {
          await beforeSending();
          return this.#send(fate);
        },
        provesNoEffect: (error) => error instanceof Refused || error instanceof NameTaken,
        saysNameTaken: (error) => error instanceof NameTaken,
        conflictMessage: () => "taken",
      });
      this.has = result.kind === "created" ? result.value : result.found;
      this.intent = undefined;
      return result.kind;
    } catch (error) {
      return error;
    }
  }

  #look(name: string): Promise<readonly Thing[]> {
    const found = this.things.filter((thing) => thing.name === name);
    this.onLook();
    return Promise.resolve(found);
  }

  #send(fate: Fate): Promise<Thing> {
    const { name } = this;
    switch (fate) {
      case "late":
        this.#underway.push({ name, arrivesAtMs: this.nowMs + DEADLINE_MS });
        return Promise.reject(new Lost());
      case "dropped":
        return Promise.reject(new Lost());
      case "refused":
        return Promise.reject(new Refused());
      case "unsent":
      case "answered":
      case "lost":
      case "unnoted": {
        const thing = this.#take(name);
        if (thing === undefined) return Promise.reject(new NameTaken());
        if (fate === "answered") return Promise.resolve(thing);
        return Promise.reject(fate === "lost" ? new Lost() : new Died());
      }
      default:
        return fate satisfies never;
    }
  }
}
