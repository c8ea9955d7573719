import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Mutant, mutate } from "./mutant.ts";

/** What a copy shares with the tree: nothing of it is written to. */
const SHARED = [".tools"];

/** A copy of the tree as it lies there, uncommitted edits included, in which mutants are made. The tree itself is only read. */
export class Workspace implements Disposable {
  readonly folder: string;

  /** @param root the tree to copy */
  constructor(root: string) {
    this.folder = mkdtempSync(join(tmpdir(), "mutants-"));
    for (const path of filesOf(root)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      cpSync(join(root, path), join(this.folder, path), { verbatimSymlinks: true });
    }
    for (const name of SHARED) {
      if (existsSync(join(root, name))) symlinkSync(join(root, name), join(this.folder, name));
    }
    // A folder of links, not a link: what tools cache beside the packages stays in the copy.
    mkdirSync(join(this.folder, "node_modules"));
    for (const name of readdirSync(join(root, "node_modules"))) {
      if (!name.startsWith(".vite")) {
        symlinkSync(join(root, "node_modules", name), join(this.folder, "node_modules", name));
      }
    }
  }

  /** Lets `work` see the copy with the mistake in it, and takes the mistake out again. */
  async with<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const path = join(this.folder, mutant.file);
    const source = readFileSync(path, "utf8");
    writeFileSync(path, mutate(mutant, source));
    try {
      return await work();
    } finally {
      writeFileSync(path, source);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The files that git knows or would add, without those that were deleted. */
function filesOf(root: string): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(listed.split("\0"))].filter((path) => path !== "" && existsSync(join(root, path)));
}
