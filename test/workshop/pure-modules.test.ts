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
  const pure = /^(?:(?:resources|controllers|api\/contract)\/|base\/is-record\.ts$)/u;
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

function ofSource(path: string): string {
  return readFileSync(join(source, path), "utf8");
}

function filesOf(pattern: string): readonly string[] {
  return globSync(join(source, pattern))
    .map((path) => relative(source, path))
    .filter((path) => !path.endsWith(".test.ts"))
    .toSorted();
}

/** Files of which nothing does I/O: those of a kind by their names, and what plans sections and outputs. */
const wholly = [
  ...filesOf("controllers/**/{plan,status,*-plan}.ts"),
  ...["entries", "named-fields", "apple-clients"].map((name) => `controllers/sections/${name}.ts`),
  ...["entries", "values", "made-of"].map((name) => `controllers/outputs/${name}.ts`),
];

describe("what plans, in a file of its own", () => {
  it("is found", () => {
    expect(wholly).toEqual(
      expect.arrayContaining([
        "controllers/branch/plan.ts",
        "controllers/outputs/plan.ts",
        "controllers/project/upgrade-plan.ts",
        "controllers/sections/field-plan.ts",
      ]),
    );
  });

  it("reaches no I/O, clock or logger", () => {
    expect(wholly.flatMap((file) => waysOut(file, ofSource))).toEqual([]);
  });
});

interface Planning {
  readonly name: string;
  readonly text: string;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, "");
}

/** The functions of a file that plan, by their names, or say that they are pure. */
function planningIn(text: string): readonly Planning[] {
  const declared = /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:export )?(?:async )?function (\w+)[\s\S]*?^\}$/gmu;
  return [...text.matchAll(declared)]
    .map(([whole, comment = "", name = ""]) => ({ comment, name, text: withoutComments(whole.slice(comment.length)) }))
    .filter(({ comment, name }) => /^plan(?:[A-Z]|$)/u.test(name) || /\bPure\./u.test(comment));
}

/** What a pure function has no use for: what waits, what asks, and what tells the time or chance. */
const IMPURE =
  /\basync\b|\bawait\b|\bclient\.\w+\.|\b(?:environment|clock|log|meter|run)\.|\brandom\(|\bDate\.now\b|\bnew Date\(\)|\bfetch\(/u;

describe("what plans, beside what reads and writes", () => {
  const all = filesOf("controllers/**/*.ts").flatMap((file) =>
    planningIn(ofSource(file)).map(({ name, text }) => ({ name: `${file} ${name}`, text })),
  );

  it("is found", () => {
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "controllers/sections/database-settings.ts planSettings",
        "controllers/sections/disk.ts plan",
        "controllers/sections/domains.ts planHostname",
        "controllers/sections/network-restrictions.ts planRestrictions",
      ]),
    );
  });

  it("asks nobody and waits for nothing, nor for the time or chance", () => {
    expect(all.filter(({ text }) => IMPURE.test(text)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    { why: "waits", body: "return await read();" },
    { why: "asks the platform", body: "return at.client.disk.get({ ref });" },
    { why: "tells the time", body: "return Date.now();" },
    { why: "counts", body: "return countDrift(run.environment.meter);" },
  ])("would be told if it were not: $why", ({ body }) => {
    const [found] = planningIn(`/** What differs. */\nfunction planDisk(at: At): Change[] {\n  ${body}\n}\n`);
    expect(IMPURE.test(found?.text ?? "")).toBe(true);
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
