import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import config from "../../../rolldown.config.ts";

const cache = fileURLToPath(new URL("../../../.cache", import.meta.url));

/** A program in few files, as what is shipped is (docs/adr/0024-shipped-in-few-files.md): from the sources each start takes a second more of a busy machine. */
export interface Bundle extends Disposable {
  /** path of its main file */
  readonly file: string;
}

/** @param entry path of its source, from the repository's root; default: the program as it is shipped, beside all else that is */
export async function bundle(entry?: string): Promise<Bundle> {
  mkdirSync(cache, { recursive: true });
  // Beneath the repository, so that packages and its package.json are found as from the sources.
  const dir = mkdtempSync(join(cache, "bundle-"));
  const input = entry === undefined ? {} : { input: { program: entry } };
  await using build = await rolldown({ ...config, ...input, plugins: [] });
  await build.write({ dir, sourcemap: true, sourcemapExcludeSources: true });
  return {
    file: join(dir, entry === undefined ? "main.js" : "program.js"),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}
