import { Gate, isEvent, type OfFamily } from "./gate.ts";
import type { Answer, Asked, Director, Reply } from "./relay.ts";
import { nameOfFamily } from "./requests.ts";

interface LateRequest {
  readonly dueMs: number;
  readonly forward: () => Promise<Answer>;
}

/** How late what arrives late is, milliseconds of driven time: within the deadline of a create request. */
const LATE_MS = 50_000;

/** All requests to both servers: each passes the gate of its family. */
export class Traffic implements Director {
  /** requests of families since it was emptied, but for events */
  arrived: OfFamily[] = [];
  /** families of requests that nobody waits for any more, since it was emptied */
  readonly abandonedIn = new Set<string>();
  readonly #gates = new Map<string, Gate>();
  /** requests that a server is at work on */
  #open = 0;
  #lastMs = performance.now();
  #late: LateRequest[] = [];
  readonly #nowMs: () => number;

  /** @param nowMs driven time */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The gate of a family, made when it is first asked for. */
  gate(family: string): Gate {
    const known = this.#gates.get(family);
    if (known !== undefined) return known;
    const made = new Gate(family, (forward) => this.#late.push({ dueMs: this.#nowMs() + LATE_MS, forward }));
    this.#gates.set(family, made);
    return made;
  }

  /** The client is dead. */
  letGo(): void {
    for (const gate of this.#gates.values()) gate.letGo();
  }

  /** The client lives on. */
  goOn(): void {
    for (const gate of this.#gates.values()) gate.goOn();
  }

  /** Requests that wait to be let on, and are waited for. */
  get held(): readonly OfFamily[] {
    return [...this.#gates.values()].flatMap(({ held }) => held);
  }

  /** Whether something is still on its way. */
  get hasLate(): boolean {
    return this.#late.length > 0;
  }

  /** For how long neither server has had anything to do, milliseconds of the machine. */
  get quietMs(): number {
    return this.#open > 0 ? 0 : performance.now() - this.#lastMs;
  }

  /** Sends on what is due by now. */
  async deliver(): Promise<void> {
    const due = this.#late.filter(({ dueMs }) => dueMs <= this.#nowMs());
    this.#late = this.#late.filter((one) => !due.includes(one));
    for (const { forward } of due) await this.#counted(forward);
  }

  async handle(asked: Asked, forward: () => Promise<Answer>): Promise<Reply> {
    const { family, label } = nameOfFamily(asked);
    const send = (): Promise<Answer> => this.#counted(forward);
    if (family === undefined) return send();
    if (!isEvent(label)) this.arrived.push({ family, label });
    return this.gate(family).handle(asked, label, send);
  }

  answered(asked: Asked): void {
    const { family } = nameOfFamily(asked);
    if (family !== undefined) this.gate(family).sent(asked);
  }

  abandoned(asked: Asked): void {
    const { family } = nameOfFamily(asked);
    if (family === undefined) return;
    this.abandonedIn.add(family);
    this.gate(family).abandoned(asked);
  }

  async #counted(forward: () => Promise<Answer>): Promise<Answer> {
    this.#open += 1;
    try {
      return await forward();
    } finally {
      this.#open -= 1;
      this.#lastMs = performance.now();
    }
  }
}
