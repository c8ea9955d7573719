import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * The linter sees what a plan or status file imports; this follows the imports on, through the files that they share, since a pure
 * function that calls one with a clock is not pure.
 */

const source = fileURLToPath(new URL("../../src", import.meta.url));

type Read = (path: string) => string;

/** What stands behind `from` or in `import(...)`, without the imports of types, which are gone at run time. */
function valueImports(text: string): readonly string[] {
  const statements = text.matchAll(
    /^(?:import|export)\s(?!type\s)[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gmu,
  );
  return [...statements].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** The ways from a file to what a pure one must not reach, as "a.ts -> b.ts -> node:fs". */
function waysOut(file: string, read: Read): readonly string[] {
  const pure = /^(resources|controllers)\//u;
  const seen = new Set<string>();
  const visit = (path: string, way: readonly string[]): readonly string[] => {
    if (seen.has(path)) return [];
    seen.add(path);
    return valueImports(read(path)).flatMap((specifier) => {
      const target = specifier.startsWith(".") ? join(dirname(path), specifier) : specifier;
      const next = [...way, target];
      if (!specifier.startsWith(".")) return target === "zod" ? [] : [next.join(" -> ")];
      return pure.test(target) ? visit(target, next) : [next.join(" -> ")];
    });
  };
  return visit(file, [file]);
}

describe("plan.ts and status.ts of a kind", () => {
  const files = globSync(join(source, "controllers/*/{plan,status}.ts")).map((path) => relative(source, path));

  it("reach no I/O, clock or logger", () => {
    expect(files.flatMap((file) => waysOut(file, (path) => readFileSync(join(source, path), "utf8")))).toEqual([]);
  });
});

describe("the search for ways out", () => {
  it.each([
    { why: "a package", shared: 'import { readFileSync } from "node:fs";', way: "node:fs" },
    { why: "another room", shared: 'import { systemClock } from "../../base/clock.ts";', way: "base/clock.ts" },
    {
      why: "an import over several lines",
      shared: 'import {\n  a,\n  b,\n} from "../../api/client.ts";',
      way: "api/client.ts",
    },
    { why: "an import at run time", shared: 'const a = await import("../../kube/client.ts");', way: "kube/client.ts" },
    { why: "an export", shared: 'export { a } from "../../kube/client.ts";', way: "kube/client.ts" },
  ])("finds $why behind a shared file", ({ shared, way }) => {
    const texts: Readonly<Record<string, string>> = {
      "controllers/a/plan.ts": 'import { f } from "../shared/f.ts";\n',
      "controllers/shared/f.ts": `${shared}\n`,
    };
    expect(waysOut("controllers/a/plan.ts", (path) => texts[path] ?? "")).toEqual([
      `controllers/a/plan.ts -> controllers/shared/f.ts -> ${way}`,
    ]);
  });

  it.each([
    { why: "a type", shared: 'import type { Client } from "../../api/client.ts";' },
    { why: "our kinds", shared: 'import { reasons } from "../../resources/conditions.ts";' },
    { why: "zod", shared: 'import { z } from "zod";' },
  ])("does not mind $why", ({ shared }) => {
    const texts: Readonly<Record<string, string>> = { "controllers/a/plan.ts": `${shared}\n` };
    expect(waysOut("controllers/a/plan.ts", (path) => texts[path] ?? "")).toEqual([]);
  });
});
