import type { SecretPlace } from "./view.ts";

/** What the operator's own Secret of a connection holds at rest. */
export interface TokenAtRest {
  readonly token: string;
  /** digests of the user's refresh tokens that were used */
  readonly seeds: readonly string[];
}

/**
 * What this process knows of the operator's own Secret of one connection, whichever credential reads or writes it: what is put back when
 * somebody deletes that. Never older than what this process stored.
 */
export class KeptMemory {
  #known: TokenAtRest | undefined;
  #stored = false;
  #place: SecretPlace | undefined;

  /** Where it is kept, as the connection's spec says by now. */
  get place(): SecretPlace | undefined {
    return this.#place;
  }

  moveTo(place: SecretPlace): void {
    this.#place = place;
  }

  get known(): TokenAtRest | undefined {
    return this.#known;
  }

  /** Takes what a run read: it may be older than what this process stored since, which it then does not replace. */
  take(kept: TokenAtRest | undefined): void {
    if (!this.#stored && kept !== undefined) this.#known = kept;
  }

  /** Takes what is read in order to be used, while nothing is being stored. */
  use(kept: TokenAtRest): void {
    this.#known = kept;
  }

  /** Takes what is about to be stored: known before it is written, so that nobody puts back what it replaces. */
  store(kept: TokenAtRest): void {
    this.#known = kept;
    this.#stored = true;
  }
}
