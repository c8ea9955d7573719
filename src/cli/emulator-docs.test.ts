import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { callsByName } from "../emulator/control/calls.ts";
import { faultRuleSchema } from "../emulator/http/faults.ts";
import { seedSchema } from "../emulator/state/seed.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const parts = globSync("emulator/*.md", { cwd: docs }).toSorted();

function read(path: string): string {
  return readFileSync(`${docs}${path}`, "utf8");
}

const index = read("emulator.md");
/** All of what is said about the emulator. */
const page = [index, ...parts.map(read)].join("\n");

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, text = ""]) => text);
}

describe("docs/emulator.md and docs/emulator", () => {
  it("lead to every part, and every part back", () => {
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.filter((path) => !index.includes(`](${path})`))).toEqual([]);
    expect(parts.filter((path) => !read(path).includes("](../emulator.md)"))).toEqual([]);
  });

  it("name no file of the sources: who installed the package has none", () => {
    expect(page.match(/`(?:src\/|state\/)[^`]*`/gu)).toBeNull();
  });

  it("names every control call and none that does not exist", () => {
    const groups = new Set([...callsByName.keys()].map((name) => name.split(".", 1)[0]));
    const named = [...page.matchAll(/`([a-zA-Z]+)\.([a-zA-Z]+)`/g)].filter(([, group = ""]) => groups.has(group));
    expect(new Set(named.map(([, group, verb]) => `${group}.${verb}`))).toEqual(new Set(callsByName.keys()));
  });

  it("shows a seed that the schema takes", () => {
    const seeds = blocks("yaml").map((text) => seedSchema.safeParse(parse(text)));
    expect(seeds.map(({ error }) => error)).toEqual([undefined]);
  });

  it("shows faults that the schema takes, and tells of every kind", () => {
    const rules = blocks("json").flatMap((text) => text.trim().split("\n"));
    expect(rules.map((line) => faultRuleSchema.safeParse(JSON.parse(line)).error)).toEqual(rules.map(() => undefined));
    const kinds = faultRuleSchema.shape.fault.options.map(({ shape }) => shape.kind.value);
    expect(kinds.filter((kind) => !page.includes(`| \`${kind}\` |`))).toEqual([]);
  });
});
