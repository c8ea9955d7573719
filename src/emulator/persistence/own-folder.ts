import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { StateError } from "./state-error.ts";

/** Names that an emulator gives in its folder. */
const OURS = /^(?:lock(?:\..+)?|(?:snapshot|journal)-\d+\.jsonl(?:\.new)?|bytes|databases|requests)$/;
/** What a file system, a desktop or a repository leaves in a folder that is empty to its user. */
const NOBODYS = /^(?:lost\+found|\..*)$/;

/**
 * Refuses a folder that is somebody else's, such as that of the program itself, where a slip of the flag would mix a state into its files.
 *
 * @throws StateError
 */
export async function refuseForeignFolder(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => !NOBODYS.test(name));
  if (names.length === 0 || names.some((name) => OURS.test(name))) return;
  throw new StateError(`${folder} holds files of something else: choose an empty folder, or one that an emulator made`);
}

/** What an emulator keeps in its folder, but for the lock. */
async function kept(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => OURS.test(name) && !name.startsWith("lock"));
}

/** Whether an emulator has been there, and left more than a lock. */
export async function hasState(folder: string): Promise<boolean> {
  return (await kept(folder)).length > 0;
}

/** Takes away what an emulator keeps in its folder, but for the lock. */
export async function emptyFolder(folder: string): Promise<void> {
  for (const name of await kept(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
