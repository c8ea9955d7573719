import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const pollMs = 300;

/** A holder writes its id right after it made the file; a file that is still empty after this long was left by a crash. */
const writeMs = 2000;

type Holder = { readonly pid: number } | "none" | "unknown";

function holder(path: string): Holder {
  try {
    const pid = Number.parseInt(readFileSync(path, "utf8"), 10);
    if (!Number.isNaN(pid)) return { pid };
    return Date.now() - statSync(path).mtimeMs < writeMs ? "unknown" : "none";
  } catch {
    return "none";
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** How a lock is waited for. */
export interface LockOptions {
  /** Called once with the holder's process id when there is something to wait for. */
  readonly onWait: (pid: number) => void;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/**
 * Waits until no other process holds the lock file, then holds it until disposed of. A lock whose process is gone is taken over.
 *
 * It saves work and is no more than that: two processes that take over a dead one's lock at the same instant may both go on. What is done
 * under it must be harmless when done twice, as building is, since each program appears by a rename.
 *
 * @param path lock file; its folder is made
 * @throws the signal's AbortError when it is aborted while another process holds the lock
 */
export async function lock(path: string, options: LockOptions): Promise<Disposable> {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!take(path)) {
    const other = holder(path);
    if (other === "none" || (other !== "unknown" && !isAlive(other.pid))) {
      rmSync(path, { force: true });
      continue;
    }
    if (other !== "unknown" && !told) {
      options.onWait(other.pid);
      told = true;
    }
    await wait(pollMs, undefined, { signal: options.signal });
  }
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}
