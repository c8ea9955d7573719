import { copyFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, succeeded } from "../test/support/programs/run.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

/** JavaScript from the sources, as the package and the image have it: Node.js needs time and memory of its own to run TypeScript. @returns its main file */
export async function buildProgram(folder: string): Promise<string> {
  const dist = join(folder, "dist");
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  await copyFile(join(repository, "package.json"), join(folder, "package.json"));
  const rolldown = join(repository, "node_modules/.bin/rolldown");
  succeeded(await run(rolldown, ["--config", "--dir", dist], { cwd: repository }));
  return join(dist, "main.js");
}
