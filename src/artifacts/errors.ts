/**
 * Why an artifact gave no files.
 * - `Unavailable`: no answer, or not in time, or none with an artifact; expected to pass
 * - `Refused`: not what it is said to be, or hostile, or too large; the same artifact is refused again
 * - `Busy`: others are being read
 */
export type ArtifactErrorCode = "Unavailable" | "Refused" | "Busy";

/** A failure to read an artifact. Its message is fit for conditions: no address, nothing that a server said, nothing that changes by itself. */
export class ArtifactError extends Error {
  readonly code: ArtifactErrorCode;

  constructor(code: ArtifactErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ArtifactError";
    this.code = code;
  }
}

/** Nothing was asked of a server, since this process may not start requests now; its code is that of the API's client for the same. */
export class NotStartedError extends Error {
  readonly code = "NOT_STARTED";

  constructor() {
    super("this process may not start requests now");
    this.name = "NotStartedError";
  }
}

export function refused(message: string, cause?: unknown): ArtifactError {
  return new ArtifactError("Refused", message, { cause });
}

export function unavailable(message: string, cause?: unknown): ArtifactError {
  return new ArtifactError("Unavailable", message, { cause });
}

export function isArtifactError(error: unknown): error is ArtifactError {
  return error instanceof ArtifactError;
}
