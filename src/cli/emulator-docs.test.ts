import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { callsByName } from "../emulator/control/calls.ts";
import { faultRuleSchema } from "../emulator/http/faults.ts";
import { seedSchema } from "../emulator/state/seed.ts";

const page = readFileSync(new URL("../../docs/emulator.md", import.meta.url), "utf8");

function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, text = ""]) => text);
}

describe("docs/emulator.md", () => {
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
