/** Saved state that cannot be used. The message says what to do. */
export class StateError extends Error {
  readonly code = "STATE";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StateError";
  }
}
