import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "../support/programs/run.ts";
import { mutate } from "./mutant.ts";
import { register } from "./register.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const mutants = register.map(({ mutant }) => mutant);

/** TypeScript's words for a name that there is not, and for what is no program: such a mutant is killed by any test, and shows nothing. */
const NO_PROGRAM = /error TS(?:2304|2552|18004|1(?!064|360)\d{3}):/;

/** What the compiler says of files alone, without what they import. */
async function complaints(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "baas-mutants-"));
  try {
    writeFileSync(join(folder, "globals.d.ts"), "declare const Buffer: any;");
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const alone = [
      "--noEmit",
      "--noResolve",
      "--ignoreConfig",
      "--strict",
      "false",
      "--types",
      "",
      "--pretty",
      "false",
    ];
    const as = ["--target", "esnext", "--module", "esnext", "--lib", "esnext,dom"];
    const all = ["globals.d.ts", ...Object.keys(files)];
    const { stdout } = await run(join(root, "node_modules/.bin/tsc"), [...alone, ...as, ...all], { cwd: folder });
    return stdout.split("\n").filter((line) => NO_PROGRAM.test(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("the register of mutants", () => {
  it.each(mutants)("still breaks what it names: $name", (mutant) => {
    const source = readFileSync(join(root, mutant.file), "utf8");
    expect(mutate(mutant, source)).not.toBe(source);
  });

  it.each(mutants)("names tests that there are: $name", ({ killer: { files, only } }) => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    if (only === undefined) return;
    const text = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
    for (const part of only.split("|")) expect(text).toContain(part);
  });

  it("has no mutant that is no program, or that names what there is not", { timeout: 120_000 }, async () => {
    const sources = mutants.filter(({ file }) => file.endsWith(".ts"));
    const files = sources.map((mutant): [string, string] => [
      `${mutant.name}.ts`,
      mutate(mutant, readFileSync(join(root, mutant.file), "utf8")),
    ]);
    expect(await complaints(Object.fromEntries(files))).toEqual([]);
  });

  it("has a name of its own for each", () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
