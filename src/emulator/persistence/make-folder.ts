import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./durable.ts";
import { adviceFor, StateError } from "./state-error.ts";

/**
 * Makes a folder and those above it, for its owner alone. One step at a time: in a file system that denies a folder beside one that is
 * there, as /proc, Node's own recursion never ends.
 *
 * @returns the folders that were not there before, the innermost last
 * @throws StateError saying what stands in the way
 */
export async function makeFolder(path: string): Promise<readonly string[]> {
  if (await isFolder(path)) return [];
  const parent = dirname(path);
  const made = parent === path ? [] : await makeFolder(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (await isFolder(path)) return made; // somebody else was faster
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new StateError(`${path} cannot be made: ${adviceFor(code)}`, { cause: error });
  }
  await syncFolder(parent);
  return [...made, path];
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
