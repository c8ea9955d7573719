import { readFileSync } from "node:fs";
import { z } from "zod";

const manifest = z.object({ version: z.string() });

/** Of package.json, two folders up from here both in the sources and in dist/. */
export function programVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return manifest.parse(JSON.parse(text)).version;
}
