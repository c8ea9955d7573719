/** Who may act. A process without rivals uses `soleLeader`. */
export interface Leadership {
  /**
   * Waits until this process leads.
   *
   * @throws the signal's reason once it aborts
   */
  acquire(signal: AbortSignal): Promise<void>;
  /** Whether a request may start now. Asked at sending, each time. */
  mayStart(): boolean;
  /** The same of what is read by name or in runs, which is free to who has not led yet. Lists and watches of caches do not ask. */
  mayRead(): boolean;
  /** Aborts when leadership is lost, with a LeaseLostError; never by `release`. */
  readonly lost: AbortSignal;
  /**
   * Ends leading: `mayStart` is false from now on, and so is `mayRead` of who led. `clean`: nothing of this process runs any more, so the next one
   * may lead at once; otherwise it has to wait until the lease runs out. Never rejects.
   */
  release(options: { readonly clean: boolean }): Promise<void>;
}

/** Reason of the abort when a lease was not renewed in time, or somebody else holds it. The process must end. */
export class LeaseLostError extends Error {
  readonly code = "LEASE_LOST";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LeaseLostError";
  }
}

/** For runs where nobody else can act on the same objects: leads at once and until the end. */
export function soleLeader(): Leadership {
  let released = false;
  return {
    acquire: (signal) => {
      signal.throwIfAborted();
      return Promise.resolve();
    },
    mayStart: () => !released,
    mayRead: () => !released,
    lost: new AbortController().signal,
    release: () => {
      released = true;
      return Promise.resolve();
    },
  };
}
