import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { branchKind } from "../../src/resources/branch/kind.ts";
import { kinds } from "../../src/resources/kinds.ts";
import { settingsFields } from "../../src/resources/settings/settings.ts";

/** That examples/complete is complete, and that users find every example. An apiserver judges them in e2e/examples.e2e.test.ts. */

const repository = fileURLToPath(new URL("../../", import.meta.url));

function read(path: string): string {
  return readFileSync(`${repository}${path}`, "utf8");
}

interface Node {
  readonly properties?: Readonly<Record<string, Node>> | undefined;
  readonly items?: Node | undefined;
}

const nodeSchema: z.ZodType<Node> = z.lazy(() =>
  z.object({ properties: z.record(z.string(), nodeSchema).optional(), items: nodeSchema.optional() }),
);

const definitionSchema = z.object({
  spec: z.object({
    versions: z.tuple([
      z.object({ schema: z.object({ openAPIV3Schema: z.object({ properties: z.object({ spec: nodeSchema }) }) }) }),
    ]),
  }),
});

/** Groups that look alike, of which not each is declared: a field counts as shown where one of them has it. */
function shapeOf(field: string): string {
  return field
    .replace(/^(auth\.(?:providers|hooks))\.[^.]+\./u, "$1.*.")
    .replace(/^auth\.mailer\.(?:templates|notifications)\.[^.]+\./u, "auth.mailer.*.");
}

/** What is explained at a Project: a Branch names the section. */
const ofProjects = new RegExp(`^(${Object.keys(settingsFields).join("|")})\\.`, "u");

/** Every field of a kind's spec as a path, lists passed through. */
function fieldsOf({ properties = {}, items }: Node, path = ""): readonly string[] {
  const own = Object.entries(properties).flatMap(([name, member]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [at, ...fieldsOf(member, at)];
  });
  return items === undefined ? own : [...own, ...fieldsOf(items, path)];
}

/** The fields that a value declares, as `fieldsOf` has them. */
function declaredIn(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => declaredIn(item, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [at, ...declaredIn(member, at)];
  });
}

/** The fields of a manifest's spec, each by its place in the text: what excludes one another is no YAML when it stands together. */
function shownIn(text: string): readonly string[] {
  const above: { readonly name: string; readonly indent: number }[] = [];
  return text.split("\n").flatMap((line) => {
    const [, indent = "", name, value = ""] = FIELD.exec(line) ?? [];
    if (name === undefined) return [];
    while ((above.at(-1)?.indent ?? -1) >= indent.length) above.pop();
    above.push({ name, indent: indent.length });
    const path = above.map((one) => one.name).join(".");
    const flow = value.startsWith("{") ? declaredIn(parse(value), path) : [];
    return [path, ...flow].map((field) => field.replace(/^spec\./u, ""));
  });
}

/** A line of a field, alone or as the first of a list's item. */
const FIELD = /^((?:\s|- )*)([A-Za-z]\w*):(?: (.*))?$/u;

/**
 * What the complete example of a kind shows, all its objects together, and the words of its comments. What is commented out where it belongs counts:
 * `# ref: abc` as if the `# ` were not there.
 */
function completeExample(kind: string): { readonly shown: ReadonlySet<string>; readonly words: ReadonlySet<string> } {
  const file = `examples/complete/${kind === "ClusterConnection" ? "connection" : kind.toLowerCase()}.yaml`;
  const isOfKind = (text: string): boolean =>
    /^apiVersion: baas\.dev\//mu.test(text) && text.split("\n").includes(`kind: ${kind}`);
  const uncommented = read(file).replaceAll(/^(\s*)# /gmu, "$1");
  const shown = uncommented.split(/^---$/mu).filter(isOfKind).flatMap(shownIn);
  const comments = [...read(file).matchAll(/#(.*)$/gmu)].flatMap(([, comment = ""]) => comment.match(/\w+/gu) ?? []);
  return { shown: new Set(shown.map(shapeOf)), words: new Set(comments) };
}

const manifestSchema = z.object({ kind: z.string(), spec: z.record(z.string(), z.unknown()).optional() });

describe("examples/complete", () => {
  it.each(kinds.map(({ type }) => type))(
    "shows every field of $kind in its place: declared, or commented out where another one excludes it",
    ({ kind, plural }) => {
      const definition = definitionSchema.parse(parse(read(`crds/baas.dev_${plural}.yaml`)));
      const [version] = definition.spec.versions;
      const { shown, words } = completeExample(kind);
      // Names of what looks alike may be listed: providers, and sections that a Branch takes as a Project does.
      const isListed = (field: string): boolean => {
        const section = kind === branchKind.type.kind && field in settingsFields ? field : undefined;
        const name = /^auth\.providers\.(\w+)$/u.exec(field)?.[1] ?? section;
        return name !== undefined && words.has(name);
      };
      const missing = fieldsOf(version.schema.openAPIV3Schema.properties.spec)
        .filter((field) => kind !== branchKind.type.kind || !ofProjects.test(field))
        .filter((field) => !shown.has(shapeOf(field)) && !isListed(field));
      expect(missing).toEqual([]);
    },
  );

  it("declares each section of a Project, but for those that a comment is for", () => {
    const project = parseAllDocuments(read("examples/complete/project.yaml"))
      .map((document) => manifestSchema.safeParse(document.toJS()).data)
      .find((manifest) => manifest?.kind === "Project");
    const undeclared = Object.keys(settingsFields).filter((section) => !(section in (project?.spec ?? {})));
    expect(undeclared).toEqual(["customHostname", "encryptionRootKey"]);
  });
});

describe("the README", () => {
  const folders = new Set(
    globSync("examples/*/**/*.{yaml,ts}", { cwd: repository }).map((file) => {
      const [root = "", folder = ""] = dirname(file).split("/");
      return `${root}/${folder}`;
    }),
  );

  it.each([...folders].toSorted())("leads to %s", (folder) => {
    expect(read("README.md")).toContain(`](${folder}`);
  });
});
