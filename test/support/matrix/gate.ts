import type { Answer, Asked, Reply } from "./relay.ts";

/** Where in the way of a request: it has not left yet, it took effect and nobody knows, its answer has arrived. */
export const phases = ["before", "after", "answered"] as const;
export type Phase = (typeof phases)[number];

/** One moment of a family's requests: the n-th one of a name, counted from 1 since the stage began. */
export interface Moment {
  readonly label: string;
  readonly nth: number;
}

/** What happens there. `hold` leaves everything of the family as it is until `letGo`; the others are over with their request. */
export type Deed =
  /** @property late the request that was held before it left arrives all the same, long after */
  | { readonly kind: "hold"; readonly phase: Phase; readonly late?: boolean }
  | { readonly kind: "meddle"; readonly phase: Phase; readonly act: () => Promise<void> }
  | { readonly kind: "lose"; readonly when: "before" | "after" | "late" }
  | { readonly kind: "refuse"; readonly status: 409 | 500 };

/** A moment with what happens there. */
export interface Trap extends Moment {
  readonly deed: Deed;
}

/** Whether the request tells of an event. */
export function isEvent(label: string): boolean {
  return /\/events(?:\/|$)/u.test(label);
}

interface Held {
  readonly request: OfFamily;
  readonly drop: () => void;
}

interface NamedRequest {
  readonly asked: Asked;
  readonly label: string;
}

/** A request by the family that it is of. */
export interface OfFamily {
  readonly family: string;
  readonly label: string;
}

/** Sends a request on when some time has passed. */
export type Later = (forward: () => Promise<Answer>) => void;

/** All requests of one family: counts them by name, and springs a trap once. */
export class Gate {
  /** names of the requests since the stage began, in order */
  asked: string[] = [];
  /** resolves when the trap has sprung */
  sprung: Promise<void> = Promise.resolve();
  hasSprung = true;
  /** requests that wait here for clients that wait for them, each the same as long as it does */
  get held(): readonly OfFamily[] {
    return [...this.#held.values()].map(({ request }) => request);
  }

  #frozen = false;
  #trap: Trap | undefined;
  #awaited: Asked | undefined;
  #spring: () => void = () => undefined;
  #thaw = Promise.withResolvers<"over" | "go on">();
  readonly #held = new Map<Asked, Held>();
  readonly #family: string;
  readonly #later: Later;
  readonly #counts = new Map<string, number>();

  constructor(family: string, later: Later) {
    this.#family = family;
    this.#later = later;
  }

  /** Name of the request that the trap waits for. */
  get trapped(): string | undefined {
    return this.#trap?.label;
  }

  /** Counts anew, towards a trap if there is one. */
  begin(trap?: Trap): void {
    this.asked = [];
    this.#counts.clear();
    this.#trap = trap;
    this.hasSprung = trap === undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.sprung = trap === undefined ? Promise.resolve() : promise;
    this.#spring = () => {
      this.hasSprung = true;
      resolve();
    };
  }

  /** The client is dead: whatever was held is forgotten, and the next one is let through. */
  letGo(): void {
    this.#end("over");
  }

  /** The client lives on: what was held of its requests, and of the answers to them, goes on. */
  goOn(): void {
    this.#end("go on");
  }

  #end(how: "over" | "go on"): void {
    this.#trap = undefined;
    this.#frozen = false;
    this.#thaw.resolve(how);
    this.#thaw = Promise.withResolvers();
  }

  async handle(asked: Asked, label: string, forward: () => Promise<Answer>): Promise<Reply> {
    if (this.#isFrozen()) return this.#keep({ asked, label }, forward);
    this.asked.push(label);
    const nth = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, nth);
    const trap = this.#trap;
    const reply =
      trap?.label === label && trap.nth === nth
        ? await this.#deed(trap.deed, { asked, label }, forward)
        : await forward();
    const isHeld = this.#isFrozen() && reply !== "reset" && this.#awaited !== asked;
    return isHeld ? this.#keep({ asked, label }, () => Promise.resolve(reply)) : reply;
  }

  async #deed(deed: Deed, at: NamedRequest, forward: () => Promise<Answer>): Promise<Reply> {
    this.#trap = undefined;
    switch (deed.kind) {
      case "hold":
        return this.#hold(deed, at, forward);
      case "meddle": {
        const early = deed.phase === "before";
        if (early) await this.#meddle(deed.act);
        const answer = await forward();
        if (!early) await this.#meddle(deed.act);
        return answer;
      }
      case "lose":
        if (deed.when === "late") this.#later(forward);
        if (deed.when === "after") await forward();
        this.#spring();
        return "reset";
      case "refuse":
        this.#spring();
        return refusal(deed.status);
      default:
        return deed satisfies never;
    }
  }

  async #meddle(act: () => Promise<void>): Promise<void> {
    await act();
    this.#spring();
  }

  async #hold(
    { phase, late = false }: Deed & { readonly kind: "hold" },
    at: NamedRequest,
    forward: () => Promise<Answer>,
  ): Promise<Reply> {
    const answer = phase === "before" ? undefined : await forward();
    if (late) this.#later(forward);
    // From here on the client's other requests, and answers to those under way, get nowhere.
    this.#frozen = true;
    if (phase === "answered" && answer !== undefined) {
      this.#awaited = at.asked;
      return answer;
    }
    this.#spring();
    return this.#keep(at, () => (answer === undefined ? forward() : Promise.resolve(answer)));
  }

  /** The answer that was waited for has left. */
  sent(asked: Asked): void {
    if (this.#awaited !== asked) return;
    this.#awaited = undefined;
    this.#spring();
  }

  /** Nobody waits for it any more: it goes nowhere. */
  abandoned(asked: Asked): void {
    this.#held.get(asked)?.drop();
  }

  /** A call, since other requests may freeze it while one is under way. */
  #isFrozen(): boolean {
    return this.#frozen;
  }

  /**
   * Events of all families are sent one after the other. One that were held, or tried again, would keep those of the others from their points:
   * it is refused, upon which it is dropped.
   */
  async #keep({ asked, label }: NamedRequest, goOn: () => Promise<Reply>): Promise<Reply> {
    if (isEvent(label)) return refusal(403);
    const { promise: dropped, resolve } = Promise.withResolvers<"over">();
    this.#held.set(asked, { request: { family: this.#family, label }, drop: () => resolve("over") });
    const how = await Promise.race([this.#thaw.promise, dropped]);
    this.#held.delete(asked);
    return how === "go on" ? goOn() : "reset";
  }
}

const REASONS = { 403: "Forbidden", 409: "Conflict", 500: "InternalError" } as const;

function refusal(status: keyof typeof REASONS): Answer {
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "refused",
    reason: REASONS[status],
    code: status,
  };
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(body)) };
}
