import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contract, operations } from "../api/contract/contract.ts";
import type { Operation } from "../api/contract/operation.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/emulator.md`, "utf8");

/** The emulator's files and what is in them. */
const sources = globSync("src/emulator/**/*.ts", { cwd: root })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => ({ folder: dirname(path), text: readFileSync(`${root}${path}`, "utf8") }));

/** Bodies that are kept whole, by the contract's table of their fields: what is stored is read again. */
const KEPT_WHOLE = new Set(["authConfig.update", "postgresConfig.replace"]);

/** What an area names, since its answers have fields of these names, and never reads. */
const NAMED_FOR_ANSWERS = ["POST /v1/projects organization_id", "POST /v1/projects plan"];

/** Answers that are always the same. */
const CONSTANT = [
  ["organizations.get", "opt_in_tags"],
  ["organizations.get", "allowed_release_channels"],
  ["actions.get", "git_config"],
  ["branches.list", "pr_number"],
] as const;

function namesOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodArray) return namesOf(schema.element);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Names of the fields of a request, in its query and its body. */
function fieldsOf({ query, body }: Operation): readonly string[] {
  return [...namesOf(query), ...namesOf(body?.encoding === "multipart" ? body.metadata : body?.schema)];
}

function toldOf({ method, path }: Operation, field: string): string {
  return `${method} ${path} ${field}`;
}

/** The fields of requests that no file of the area names which answers them. */
function unread(): readonly string[] {
  return Object.entries<Readonly<Record<string, Operation>>>(contract).flatMap(([section, ofSection]) => {
    const homes = sources.filter(({ text }) => text.includes(`SectionHandlers<"${section}">`));
    if (homes.length === 0) throw new Error(`no file of the emulator answers ${section}`);
    const texts = sources.filter(({ folder }) => homes.some((home) => folder.startsWith(home.folder)));
    const words = new Set(texts.flatMap(({ text }) => text.match(/\w+/gu) ?? []));
    return Object.values(ofSection)
      .filter(({ id }) => !KEPT_WHOLE.has(id))
      .flatMap((one) => fieldsOf(one).flatMap((field) => (words.has(field) ? [] : [toldOf(one, field)])));
  });
}

/** What the page says is taken without effect. */
function told(): readonly string[] {
  const table = page.split("| Request | Taken, and without effect |").at(1)?.split("\n\n").at(0) ?? "";
  return [...table.matchAll(/^\| `(\w+ \/[^`]+)` \| (.+) \|$/gmu)].flatMap(([, request = "", names = ""]) =>
    [...names.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => `${request} ${name}`),
  );
}

describe("docs/emulator.md", () => {
  it("names every field of a request that changes nothing, and none that does or that there is not", () => {
    const known = new Set(operations.flatMap((one) => fieldsOf(one).map((field) => toldOf(one, field))));
    expect(told().filter((one) => !known.has(one))).toEqual([]);
    expect(told().toSorted()).toEqual([...unread(), ...NAMED_FOR_ANSWERS].toSorted());
  });

  it.each(CONSTANT)("names what is always the same in the answers of %s: %s, which the contract has", (id, field) => {
    const success = operations.find((one) => one.id === id)?.success;
    expect(success?.kind === "json" ? namesOf(success.schema) : []).toContain(field);
    expect(page.split("Some of the answers are always the same").at(1)).toContain(`\`${field}\``);
  });
});
