import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The data folder of a fresh database in memory, from which those of projects are made: initdb takes seconds, this a moment. */
export interface Template {
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly start: number; readonly bytes: number }[];
  /** all files one after the other; shared, so that a thread that gets it copies nothing */
  readonly content: SharedArrayBuffer;
}

/** Reads a data folder that no database has open. */
export function packFolder(root: string): Template {
  const folders: string[] = [];
  const contents: { readonly path: string; readonly content: Buffer }[] = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (entry.isDirectory()) folders.push(path);
    else contents.push({ path, content: readFileSync(join(root, path)) });
  }
  const content = new SharedArrayBuffer(contents.reduce((sum, file) => sum + file.content.length, 0));
  const all = Buffer.from(content);
  let start = 0;
  const files = contents.map((file) => {
    const bytes = file.content.copy(all, start);
    const placed = { path: file.path, start, bytes };
    start += bytes;
    return placed;
  });
  return { folders: folders.toSorted(), files, content };
}

/** Makes a data folder, which is there whole or not at all. */
export function unpackFolder({ folders, files, content }: Template, root: string): void {
  const unfinished = unfinishedName(root);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  for (const path of folders) mkdirSync(join(unfinished, path), { mode: 0o700 });
  for (const { path, start, bytes } of files) {
    writeFileSync(join(unfinished, path), Buffer.from(content, start, bytes), { mode: 0o600 });
  }
  renameSync(unfinished, root);
}

/** Where a data folder is while it is being made. */
export function unfinishedName(root: string): string {
  return `${root}.unfinished`;
}
