/** Saved state that cannot be used. The message says what to do. */
export class StateError extends Error {
  readonly code = "STATE";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StateError";
  }
}

/** What this version cannot read, though nothing is wrong with it. @param what it is, and in which way it is another version's */
export function otherVersion(folder: string, what: string): StateError {
  return new StateError(`${folder}: ${what}: use the version that wrote it, or an empty folder, which starts anew`);
}

export function damaged(folder: string, what: string, cause?: unknown): StateError {
  return new StateError(`${folder}: ${what}: restore the folder as a whole, or use an empty one, which starts anew`, {
    cause,
  });
}

/** What the file system refuses is about the folder, and its user may do something about it; anything else stays what it is. */
export function unusable(folder: string, error: unknown): unknown {
  if (error instanceof StateError || !(error instanceof Error && "code" in error && "syscall" in error)) return error;
  const code = String(error.code);
  if (code === "ENOENT") return damaged(folder, "a part of it was removed while it was used", error);
  return new StateError(`${folder} cannot be used (${code}): ${adviceFor(code)}`, { cause: error });
}

/** @param code of the system's error */
export function adviceFor(code: string): string {
  return FULL.has(code)
    ? "make room on its disk, or choose a folder on another one"
    : "choose a folder that can be written";
}

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
