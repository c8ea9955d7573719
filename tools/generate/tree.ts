import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { posix } from "node:path";

/** Makes files from the sources. */
export interface Generator {
  readonly name: string;
  /** Every file of it: path relative to the repository, with slashes, and text. */
  files(): Promise<ReadonlyMap<string, string>>;
}

/** A file that is not what it should be. */
export interface Difference {
  readonly path: string;
  readonly why: "missing" | "out of date" | "no longer generated";
}

/** Stands at the top of every generated file; in the same folder, others without it are left alone. */
const mark = "`npm run generate`";
const markedLines = 5;

async function textOf(file: URL): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isMarked(text: string): boolean {
  return text.split("\n", markedLines).some((line) => line.includes(mark));
}

async function filesIn(root: URL, folder: string): Promise<readonly string[]> {
  const entries = await readdir(new URL(`${folder}/`, root), { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => posix.join(folder, entry.name));
}

async function leftOvers(root: URL, files: ReadonlyMap<string, string>): Promise<readonly Difference[]> {
  const folders = new Set([...files.keys()].map((path) => posix.dirname(path)));
  const left: Difference[] = [];
  for (const folder of folders) {
    for (const path of await filesIn(root, folder)) {
      if (files.has(path)) continue;
      const text = await textOf(new URL(path, root));
      if (text !== undefined && isMarked(text)) left.push({ path, why: "no longer generated" });
    }
  }
  return left;
}

/**
 * What differs on disk from what a generator says: files missing or different, and files that it made once and no longer makes.
 *
 * @param root folder that the paths are relative to, ending with a slash
 */
export async function compare(root: URL, files: ReadonlyMap<string, string>): Promise<readonly Difference[]> {
  const differences: Difference[] = [];
  for (const [path, text] of files) {
    const present = await textOf(new URL(path, root));
    if (present === undefined) differences.push({ path, why: "missing" });
    else if (present !== text) differences.push({ path, why: "out of date" });
  }
  return [...differences, ...(await leftOvers(root, files))];
}

/** Removes the differences that `compare` found. */
export async function write(
  root: URL,
  files: ReadonlyMap<string, string>,
  differences: readonly Difference[],
): Promise<void> {
  for (const { path } of differences) {
    const file = new URL(path, root);
    const text = files.get(path);
    if (text === undefined) {
      await rm(file);
      continue;
    }
    await mkdir(new URL(".", file), { recursive: true });
    await writeFile(file, text);
  }
}
