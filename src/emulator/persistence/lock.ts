import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StateError } from "./state-error.ts";

/** One emulator at a time has a folder: a file in it names the process, and which of the times that it had the folder. */

const FILE = "lock";
/** Folders that this process holds: its own id in a file proves nothing. */
const held = new Set<string>();

export interface FolderLock {
  /** Whether the folder is still ours: somebody may have removed the file, and another emulator have the folder since. */
  isHeld(): Promise<boolean>;
  /** Gives the folder back, and takes it from nobody else. */
  release(): Promise<void>;
}

/**
 * Takes the folder. A file whose process is gone was left by a crash and is taken over.
 *
 * @throws StateError when another emulator has it
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, FILE);
  if (held.has(folder)) throw inUse(folder, process.pid);
  held.add(folder);
  const text = `${process.pid} ${randomUUID()}\n`;
  try {
    await take(folder, { file, text });
  } catch (error) {
    held.delete(folder);
    throw error;
  }
  const isHeld = async (): Promise<boolean> => (await readFile(file, "utf8").catch(() => undefined)) === text;
  return {
    isHeld,
    release: async () => {
      if (await isHeld()) await rm(file, { force: true });
      held.delete(folder);
    },
  };
}

/** The file appears with its content: whoever finds it, as two that start at once, can read whose it is. */
async function take(folder: string, { file, text }: { readonly file: string; readonly text: string }): Promise<void> {
  const own = `${file}.${process.pid}`;
  try {
    await writeFile(own, text);
    while (!(await isLinked(own, file))) if (await takeOver(folder, { file, own })) return;
  } finally {
    await rm(own, { force: true }).catch(() => undefined); // what went wrong before tells more
  }
}

/**
 * Puts our file in the place of one whose process is gone. Of several that found the same one, only who has the second file may do so, and
 * looks again first: what another has taken meanwhile is not taken from it.
 *
 * @returns false: the file, or the second one, has changed, and all begins anew @throws StateError when another emulator has the folder
 */
async function takeOver(
  folder: string,
  { file, own }: { readonly file: string; readonly own: string },
): Promise<boolean> {
  await isLeft(folder, file);
  const second = `${file}.takeover`;
  if (!(await isLinked(own, second))) {
    if (await isLeft(folder, second)) await rm(second, { force: true }); // by a crash within these lines
    return false;
  }
  try {
    if (!(await isLeft(folder, file))) return false;
    await rename(own, file);
    return true;
  } finally {
    await rm(second, { force: true });
  }
}

/** Whether a file is there and its process is not. @throws StateError when that is another one and there */
async function isLeft(folder: string, file: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  const pid = Number.parseInt(text ?? "", 10);
  if (isOther(pid)) throw inUse(folder, pid);
  return text !== undefined;
}

async function isLinked(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isOther(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return !isZombie(pid);
}

/** Ended, but not yet seen to by its parent: it writes nothing any more. Told by Linux alone. */
function isZombie(pid: number): boolean {
  try {
    return /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function inUse(folder: string, pid: number): StateError {
  return new StateError(`${folder} is in use by process ${pid}; if that is no emulator, remove the file ${FILE} in it`);
}
