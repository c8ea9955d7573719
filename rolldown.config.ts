import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import manifest from "./package.json" with { type: "json" };

/**
 * What is shipped, from the sources: `npm run build` (ADR 24). What a verb loads is in a few files, not in hundreds: to find, read and link those takes a good
 * part of the time until the emulator listens.
 */

/**
 * Direct dependencies that go within: many small modules and nothing else, or, of Kubernetes' client, a few modules out of hundreds, which took a third of
 * the operator's memory. What only they need goes along. Others read files of their own, and stay where npm puts them.
 */
const WITHIN = new Set(["@kubernetes/client-node", "commander", "zod"]);
const OUTSIDE = Object.keys(manifest.dependencies).filter((name) => !WITHIN.has(name));

function isOutside(id: string): boolean {
  return OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`));
}

/** The folder of a module's package, and its name; undefined: one of our own. */
function packageOf(module: string): readonly [name: string, folder: string] | undefined {
  const [, folder = "", name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//u.exec(module) ?? [];
  return name === undefined ? undefined : [name, folder];
}

/** What goes within takes its licence along. */
const licences: Plugin = {
  name: "licences",
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
    const folders = new Map(modules.map(packageOf).filter((found) => found !== undefined));
    const texts = [...folders.keys()].toSorted().map((name) => {
      const folder = folders.get(name) ?? "";
      const file = readdirSync(folder).find((one) => /^licen[cs]e/iu.test(one));
      if (file === undefined) throw new Error(`${name} has no licence beside it`);
      return `${name}\n\n${readFileSync(join(folder, file), "utf8")}`;
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
  // what is not asked for of it is not there
  treeshake: { moduleSideEffects: [{ test: /\/@kubernetes\/client-node\//u, sideEffects: false }] },
  output: { dir: "dist", cleanDir: true, sourcemap: true, sourcemapExcludeSources: true },
});
