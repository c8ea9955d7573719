import { isDeepStrictEqual } from "node:util";
import type { Received } from "../api.ts";
import type { Called } from "./process.ts";

/** What a client reads of what it wrote: plain values. */
export type Reading = Readonly<Record<string, unknown>>;

/** What a client does next, and what it reads once it is done. */
export interface Plan<R extends Reading> {
  readonly next: R;
  readonly send: () => Promise<Received>;
}

/** One client's writes: it knows what it would read after each. */
export interface Writing<R extends Reading> {
  readonly name: string;
  readonly start: R;
  read(emulator: Called): Promise<R>;
  plan(emulator: Called, now: R): Promise<Plan<R>> | Plan<R>;
}

let named = 0;

/** A name that sorts behind those before it. */
export function nextName(prefix: string): string {
  named += 1;
  return `${prefix}${Date.now()}${String(named).padStart(6, "0")}`;
}

/**
 * Writes until the connection breaks. What was acknowledged has to be there after a restart, and what was under way is there as a whole or
 * not at all.
 */
export class Writer<R extends Reading> {
  readonly name: string;
  acknowledged = 0;
  readonly #writing: Writing<R>;
  #possible: readonly R[];

  constructor(writing: Writing<R>) {
    this.name = writing.name;
    this.#writing = writing;
    this.#possible = [writing.start];
  }

  /** @throws BrokenConnectionError; an error for an answer that is no success */
  async step(emulator: Called): Promise<void> {
    const [now] = this.#possible;
    if (now === undefined) throw new Error("nothing is known");
    const { next, send } = await this.#writing.plan(emulator, now);
    this.#possible = [now, next];
    const { status, text } = await send();
    if (status >= 300) throw new Error(`${this.name}: ${status} ${text} on the way to ${JSON.stringify(next)}`);
    this.#possible = [next];
    this.acknowledged += 1;
  }

  /** @returns what is read that cannot be; undefined: it is as it was left */
  async wrong(emulator: Called): Promise<string | undefined> {
    const found = await this.#writing.read(emulator);
    const possible = this.#possible;
    this.#possible = [found];
    if (possible.some((one) => isDeepStrictEqual(one, found))) return undefined;
    return `${this.name}: ${JSON.stringify(found)}, expected one of ${JSON.stringify(possible)}`;
  }
}
