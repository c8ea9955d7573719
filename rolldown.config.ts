import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "rolldown";

/**
 * What is shipped, from the sources: `npm run build` (ADR 24). What a verb loads is in a few files, not in hundreds: to find, read and link those takes a good
 * part of the time until the emulator listens.
 */

/** Packages that go within: they are many small modules and nothing else. Others read files of their own, and stay where npm puts them. */
const WITHIN = ["commander", "zod"];

function isOutside(id: string): boolean {
  if (/^(?:[./]|[A-Za-z]:[/\\])/u.test(id)) return false;
  return !WITHIN.some((name) => id === name || id.startsWith(`${name}/`));
}

/** What goes within takes its licence along. */
const licences: Plugin = {
  name: "licences",
  generateBundle() {
    const texts = WITHIN.map((name) => {
      const manifest = findPackageJSON(name, import.meta.url);
      if (manifest === undefined) throw new Error(`${name} is not installed: npm ci`);
      return `${name}\n\n${readFileSync(join(dirname(manifest), "LICENSE"), "utf8")}`;
    });
    this.emitFile({ type: "asset", fileName: "licences.txt", source: texts.join("\n") });
  },
};

export default defineConfig({
  input: {
    main: "src/main.ts",
    client: "src/api/public.ts",
    emulator: "src/emulator/public.ts",
    // a thread's: it is looked for beside the file that starts it, so all are in one folder
    engine: "src/emulator/postgres/engine.ts",
  },
  platform: "node",
  logLevel: "warn",
  external: isOutside,
  plugins: [licences],
  output: { dir: "dist", cleanDir: true, sourcemap: true, sourcemapExcludeSources: true },
});
