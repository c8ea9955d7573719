import type { Clock } from "../../base/clock.ts";

/** The requests that are being worked on, so that who drives the clock can let time pass between them and never through one. */
export class AtWork {
  readonly #clock: Clock;
  #count = 0;
  #idle = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#idle.resolve();
  }

  begin(): void {
    if (this.#count === 0) this.#idle = Promise.withResolvers();
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#idle.resolve();
  }

  /** Lets a request wait for time, milliseconds: it is no work meanwhile, and is work again from the moment in which its time has come. */
  park(ms: number): Promise<void> {
    this.end();
    return new Promise((resolve) => {
      this.#clock.setTimer(ms, () => {
        this.begin();
        resolve();
      });
    });
  }

  /** Resolves when no request is being worked on. */
  async none(): Promise<void> {
    while (this.#count > 0) await this.#idle.promise;
  }
}
