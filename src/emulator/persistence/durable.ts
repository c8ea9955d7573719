import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Files that outlive a failure of the machine. A file is on the disk when both are: what it holds, which a sync of the file sees to, and its
 * name, which one of its folder does. Whoever is told of what is in a file, be it by another file, is told after both.
 */

/** Writes a file, which is there as a whole, on the disk, or not at all. */
export async function writeDurably(path: string, content: Iterable<string> | Uint8Array): Promise<void> {
  const draft = `${path}.new`;
  try {
    await writeWhole(draft, content);
    await rename(draft, path);
  } catch (error) {
    // what is left of it may be what the disk has no room for; what went wrong before tells more
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeWhole(path: string, content: Iterable<string> | Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Opens a file to which lines are added, made when it is not there. Its name is on the disk, and all others of its folder are. */
export async function openDurably(path: string): Promise<FileHandle> {
  const file = await open(path, "a", 0o600);
  try {
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** Brings the names in a folder to the disk, also those that a process left which died before it did so. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && NOT_OFFERED.has(error.code))) throw error;
  }
}

/** Some systems open no folder, or none that one may write and not read; some file systems sync none. There is nothing to be done about it. */
const NOT_OFFERED: ReadonlySet<unknown> = new Set([
  "EACCES",
  "EBADF",
  "EINVAL",
  "EISDIR",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EPERM",
]);
