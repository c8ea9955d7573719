import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { mutate } from "./mutant.ts";
import { register } from "./register.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const mutants = register.map(({ mutant }) => mutant);

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

  it("has a name of its own for each", () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });
});
