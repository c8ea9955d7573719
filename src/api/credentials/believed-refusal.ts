import type { Clock } from "../../base/clock.ts";
import type { CredentialError } from "./credentials.ts";

/** How long a refusal is believed before the platform is asked again, milliseconds. */
const BELIEVED_MS = 60_000;

/** The last refusal of a credential, and of which proof where others are tried at once: for a while the platform is not asked the same again. */
export class BelievedRefusal {
  readonly #clock: Clock;
  #last: { readonly error: CredentialError; readonly proof: string | undefined; readonly untilMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws what the refusal was, while it is believed */
  requireNone(proof?: string): void {
    const last = this.#last;
    if (last !== undefined && last.proof === proof && this.#clock.monotonic() < last.untilMs) throw last.error;
  }

  believe(error: CredentialError, proof?: string): void {
    this.#last = { error, proof, untilMs: this.#clock.monotonic() + BELIEVED_MS };
  }

  forget(): void {
    this.#last = undefined;
  }
}
