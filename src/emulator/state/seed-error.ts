/** A seed that contradicts itself or the state it is added to. The message names what to change. */
export class SeedError extends Error {
  readonly code = "SEED";

  constructor(message: string) {
    super(message);
    this.name = "SeedError";
  }
}
