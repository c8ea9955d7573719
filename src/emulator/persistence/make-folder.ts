import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./durable.ts";
import { adviceFor, StateError } from "./state-error.ts";

/**
 * Makes a folder and those above it, for its owner alone. One step at a time: in a file system that denies a folder beside one that is
 * there, as /proc, Node's own recursion never ends. The name of each that is made is on the disk, and that of the innermost one that was
 * there: who made that may have died before.
 *
 * @returns the folders that were not there before, the innermost last; of one that fails nothing is left
 * @throws StateError saying what stands in the way; what the system says of a folder that it cannot sync
 */
export async function makeFolder(path: string): Promise<readonly string[]> {
  const parent = dirname(path);
  const made: string[] = [];
  try {
    if (!(await isFolder(path))) {
      if (parent !== path) made.push(...(await makeFolder(parent)));
      if (await makeOne(path)) made.push(path);
    }
    await syncFolder(parent);
  } catch (error) {
    await removeFolders(made);
    throw error;
  }
  return made;
}

/** @returns false: somebody else was faster @throws StateError */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (await isFolder(path)) return false;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new StateError(`${path} cannot be made: ${adviceFor(code)}`, { cause: error });
  }
}

/** Takes folders away that were made, as far as nothing is in them. */
export async function removeFolders(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed()) {
    try {
      await rmdir(path);
    } catch {
      return; // somebody else has come to need it
    }
  }
}

/** @throws StateError when something else has the name, or nobody may look */
async function isFolder(path: string): Promise<boolean> {
  let found;
  try {
    found = await stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw new StateError(`${path} cannot be read: choose a folder that can be written`, { cause: error });
  }
  if (found.isDirectory()) return true;
  throw new StateError(`${path} is no folder: choose another name`);
}
