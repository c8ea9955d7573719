import { copyFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, succeeded } from "../test/support/programs/run.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

/** JavaScript from the sources, as the package and the image have it: Node.js needs time and memory of its own to run TypeScript. @returns its main file */
export async function buildProgram(folder: string): Promise<string> {
  const outDir = join(folder, "dist");
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  await copyFile(join(repository, "package.json"), join(folder, "package.json"));
  const tsc = join(repository, "node_modules/.bin/tsc");
  succeeded(await run(tsc, ["-p", join(repository, "tsconfig.build.json"), "--noCheck", "--outDir", outDir]));
  return join(outDir, "main.js");
}
