import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { z } from "zod";
import manifest from "./package.json" with { type: "json" };

/**
 * What is shipped, from the sources: `npm run build` (ADR 24). What a verb loads is in a few files, not in hundreds: to find, read and link those takes a good
 * part of the time until the emulator listens.
 */

/**
 * Direct dependencies that go within: many small modules and nothing else, or, of Kubernetes' client, a few modules out of hundreds. What only they need
 * goes along. Others read files of their own, and stay where npm puts them.
 */
const WITHIN = ["@kubernetes/client-node", "commander", "zod"];
const OUTSIDE = Object.keys(manifest.dependencies).filter((name) => !WITHIN.includes(name));

/** Where a package is that is asked for at a place, links followed. */
function placeOf(name: string, base: string): string {
  const found = findPackageJSON(name, base);
  if (found === undefined) throw new Error(`${name} is not installed: npm ci`);
  return realpathSync(found);
}

function isOutside(id: string, importer?: string): boolean {
  const name = OUTSIDE.find((one) => id === one || id.startsWith(`${one}/`));
  if (name === undefined) return false;
  // From within it would be found from where this is put: what needs another version of it would get ours.
  if (importer !== undefined && placeOf(name, importer) !== placeOf(name, import.meta.url)) {
    throw new Error(`${importer} needs another version of ${name} than package.json names`);
  }
  return true;
}

/** The folder of a module's package; undefined: one of our own. */
function packageOf(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(module.replaceAll("\\", "/"))?.[0];
}

const manifestOfPackage = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()).default({}) });

/** A package within, and what it needs: some have that pasted into their own files. */
function withNeeded(folder: string, found: Map<string, string>): void {
  if (found.has(folder)) return;
  const { name, dependencies } = manifestOfPackage.parse(
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  found.set(folder, name);
  if (WITHIN.includes(name)) return; // of which only some modules are there, and what these need is found by its own
  for (const needed of Object.keys(dependencies)) {
    if (isOutside(needed)) continue;
    withNeeded(dirname(placeOf(needed, join(folder, "package.json"))).replaceAll("\\", "/"), found);
  }
}

function licenceOf(folder: string, name: string): string {
  const files = readdirSync(folder).filter((one) => /^(licen[cs]e|copying|notice)/iu.test(one));
  if (files.length === 0) throw new Error(`${name} has no licence beside it`);
  return `${name}\n\n${files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n")}`;
}

/** What goes within takes its licence along. */
const licences: Plugin = {
  name: "licences",
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
    const found = new Map<string, string>();
    for (const folder of new Set(modules.map(packageOf))) if (folder !== undefined) withNeeded(folder, found);
    const missing = WITHIN.filter((name) => ![...found.values()].includes(name));
    if (missing.length > 0) throw new Error(`nothing of ${missing.join(", ")} is within`);
    const inOrder = [...found].toSorted(([, a], [, b]) => (a < b ? -1 : 1));
    const texts = inOrder.map(([folder, name]) => licenceOf(folder, name));
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
  // Kubernetes' client and what it needs do nothing by being loaded: what is not asked for of it is not there
  treeshake: {
    moduleSideEffects: [
      { test: /\/@kubernetes\/client-node\//u, sideEffects: false },
      { test: /^jose(?:\/|$)/u, external: true, sideEffects: false },
    ],
  },
  output: { dir: "dist", cleanDir: true, sourcemap: true, sourcemapExcludeSources: true },
});
