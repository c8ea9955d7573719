import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { z } from "zod";

const manifest = z.object({ version: z.string() });

/** Of package.json, which is above both the sources and what is built from them. */
export function programVersion(): string {
  const file = findPackageJSON("..", import.meta.url);
  if (file === undefined) throw new Error("no package.json is above the program: install it whole");
  return manifest.parse(JSON.parse(readFileSync(file, "utf8"))).version;
}
