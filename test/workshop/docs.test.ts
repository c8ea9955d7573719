import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { apiErrorCodes, codeOfStatus } from "../../src/api/errors.ts";
import { connectionKind } from "../../src/resources/connection/kind.ts";
import { kinds } from "../../src/resources/kinds.ts";
import { projectKind } from "../../src/resources/project/kind.ts";
import { rooms } from "../../tools/lint/rooms.ts";
import { programs } from "../../tools/programs.ts";
import { codes, read, repository, rows, section, sorted, withoutCode } from "../support/docs/pages.ts";

/** What the pages written by hand say, held against the sources. Generated pages are compared by `npm run check`. */

const pages = globSync(["*.md", "docs/**/*.md", "deploy/**/*.md", "examples/**/*.md"], { cwd: repository }).toSorted();

/** The blocks of YAML on a page, without the indentation that they have in a list. */
function yamlBlocks(page: string): readonly string[] {
  return [...read(page).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```$/gmu)].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gmu"), ""),
  );
}

/** What is wrong with a block of YAML. In braces kubectl's parser ends plain text at a question mark, which ours does not. */
function yamlFaults(block: string): readonly string[] {
  const errors = parseAllDocuments(block).flatMap((document) => document.errors.map(({ message }) => message));
  return [...errors, ...(block.match(/\{[^{}"']*\?[^{}"']*\}/gu) ?? [])];
}

/** The anchors that a page offers, as forges make them of headings. */
function anchors(path: string): ReadonlySet<string> {
  const headings = withoutCode(read(path)).matchAll(/^#+ (.+)$/gmu);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function isLink(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(repository, file))) return false;
  if (anchor === undefined) return true;
  return statSync(join(repository, file)).isFile() && anchors(file).has(anchor);
}

const manifest = z
  .object({
    scripts: z.record(z.string(), z.string()),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(read("package.json")));

describe("every page", () => {
  it("is found", () => {
    expect(pages).toEqual(expect.arrayContaining(["README.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md"]));
  });

  it.each(pages)("%s links only to what is there, headings included", (page) => {
    const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target = ""]) => target);
    const relative = links.filter((target) => !/^[a-z]+:/u.test(target));
    expect(relative.filter((target) => !isLink(page, target))).toEqual([]);
  });

  // Designs show sketches.
  it.each(pages.filter((page) => !page.startsWith("docs/design/") && yamlBlocks(page).length > 0))(
    "%s shows YAML that kubectl reads",
    (page) => {
      expect(yamlBlocks(page).flatMap(yamlFaults)).toEqual([]);
    },
  );

  it("would be told of YAML that kubectl does not read", () => {
    expect(yamlFaults("a: {b: $(c)?d=e}")).toEqual(["{b: $(c)?d=e}"]);
    expect(yamlFaults("a: {b: c")).not.toEqual([]);
    expect(yamlFaults('a: {b: "$(c)?d=e"}')).toEqual([]);
  });

  it("names npm scripts that are there", () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run (?:-s )?([a-z][a-z0-9:-]*)/gu)].map(([, name = ""]) => ({ page, name })),
    );
    expect(named.filter(({ name }) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
    expect(named.map(({ name }) => name)).toContain("example");
  });

  it.each([
    { page: "README.md", target: "docs/nowhere.md", why: "there is no such file" },
    { page: "README.md", target: "docs/operations.md#nowhere", why: "there is no such heading" },
  ])("would be told of a broken link: $why", ({ page, target }) => {
    expect(isLink(page, target)).toBe(false);
  });
});

describe("docs/ARCHITECTURE.md", () => {
  it("gives the reason for every dependency and every Go tool, and for nothing else", () => {
    const given = rows(section("docs/ARCHITECTURE.md", "## Why each dependency"));
    const names = [
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.devDependencies),
      ...programs.map(({ name }) => name),
    ];
    expect(sorted(given.map(([name = ""]) => name))).toEqual(sorted(names));
    expect(given.filter(([, why = ""]) => why.length < 5)).toEqual([]);
  });

  it("says who may import whom as the linter does", () => {
    const given = rows(section("docs/ARCHITECTURE.md", "## Who may import whom"));
    const wanted = rooms
      .filter(({ name }) => name !== "cli")
      .map((room) => {
        const others = Object.entries(room.rooms).map(([name, access]) => {
          if (access === "all") return name;
          const part = access === "types" ? access : access.only.map((path) => path.replace("/**", "")).join(", ");
          return `${name} (${part})`;
        });
        return [room.name, others.toSorted().join(", "), room.packages.toSorted().join(", ")];
      });
    const lines = given.filter(([name]) => name !== "cli").map((cells) => cells.join(" | "));
    expect(sorted(lines)).toEqual(sorted(wanted.map((cells) => cells.join(" | "))));
  });

  it("knows every folder of src", () => {
    const named = codes(section("docs/ARCHITECTURE.md", "## Rooms"));
    expect(rooms.filter(({ name }) => !named.includes(`src/${name}`))).toEqual([]);
  });
});

describe("docs/adr", () => {
  it("has an index with the title of each decision", () => {
    const files = globSync("docs/adr/0*.md", { cwd: repository }).toSorted();
    const lines = files.map((file) => {
      const title = /^# (.+)$/mu.exec(read(file))?.[1] ?? "";
      return `- [${title}](${file.replace("docs/adr/", "")})`;
    });
    expect(read("docs/adr/README.md").trim().split("\n").slice(-lines.length)).toEqual(lines);
    expect(files.length).toBeGreaterThan(10);
  });
});

/** Statuses that no code names, and how the page calls them. */
const OTHER_STATUSES = [
  { status: 399, name: "other 3xx" },
  { status: 499, name: "other 4xx" },
  { status: 599, name: "other 5xx" },
];

describe("docs/client.md", () => {
  it("tells of every code of a failure what the client does, and of each what to do", () => {
    const given = rows(section("docs/client.md", "## Failures"));
    const wanted = Object.entries(apiErrorCodes).map(([code, { statuses, effect, retryable, advice }]) => {
      const others = OTHER_STATUSES.filter(({ status }) => codeOfStatus(status) === code).map(({ name }) => name);
      const known = effect === "sent" ? "unknown once sent" : effect;
      return [`\`${code}\``, [...statuses, ...others].join(", "), known, retryable ? "yes" : "no", advice];
    });
    expect(given.map((cells) => cells.slice(0, 5))).toEqual(wanted);
    expect(given.filter(([, , , , , todo = ""]) => todo.length < 5)).toEqual([]);
  });
});

/** A manifest as it is once the apiserver has stored it. */
const manifestSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string() }).transform((given) => ({ ...given, uid: "1", resourceVersion: "1" })),
});

describe("README.md", () => {
  it("lists every kind with its short name and its page", () => {
    const given = rows(section("README.md", "## Kinds")).map(([kind, short]) => [kind, short]);
    const wanted = kinds.map(({ type, singular, shortNames }) => [
      `[${type.kind}](docs/reference/${singular}.md)`,
      shortNames.map((name) => `\`${name}\``).join(", "),
    ]);
    expect(given).toEqual(wanted);
  });

  it("shows a first manifest that the operator takes", () => {
    const [, yaml = ""] = /```yaml\n([\s\S]*?)```/u.exec(section("README.md", "## A first manifest")) ?? [];
    const [, connection, project] = parseAllDocuments(yaml).map((document) => manifestSchema.parse(document.toJS()));
    expect(connectionKind.parse(connection)).toMatchObject({ ok: true });
    expect(projectKind.parse(project)).toMatchObject({ ok: true });
  });
});
