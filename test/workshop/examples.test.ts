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

/** The fields that a manifest declares, as `fieldsOf` has them. */
function declaredIn(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => declaredIn(item, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === "" ? name : `${path}.${name}`;
    return [at, ...declaredIn(member, at)];
  });
}

const manifestSchema = z.looseObject({ apiVersion: z.string(), kind: z.string(), spec: z.unknown().optional() });

/** What the complete example of a kind declares, all its objects of the kind together, and the words of its comments. */
function completeExample(kind: string): {
  readonly declared: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
} {
  const file = `examples/complete/${kind === "ClusterConnection" ? "connection" : kind.toLowerCase()}.yaml`;
  const text = read(file);
  const objects = parseAllDocuments(text)
    .map((document) => z.unknown().parse(document.toJS()))
    .filter((value) => value !== null)
    .map((value) => manifestSchema.parse(value))
    .filter((object) => object.kind === kind && object.apiVersion.startsWith("baas.dev/"));
  const comments = [...text.matchAll(/#(.*)$/gmu)].flatMap(([, comment = ""]) => comment.match(/\w+/gu) ?? []);
  return { declared: new Set(objects.flatMap(({ spec }) => declaredIn(spec)).map(shapeOf)), words: new Set(comments) };
}

describe("examples/complete", () => {
  it.each(kinds.map(({ type }) => type))(
    "shows every field of $kind: declared, or in a comment where another one excludes it",
    ({ kind, plural }) => {
      const definition = definitionSchema.parse(parse(read(`crds/baas.dev_${plural}.yaml`)));
      const [version] = definition.spec.versions;
      const { declared, words } = completeExample(kind);
      const missing = fieldsOf(version.schema.openAPIV3Schema.properties.spec)
        .filter((field) => kind !== branchKind.type.kind || !ofProjects.test(field))
        .filter((field) => !declared.has(shapeOf(field)) && !words.has(field.split(".").at(-1) ?? field));
      expect(missing).toEqual([]);
    },
  );

  it("declares each section of a Project, but for those that a comment is for", () => {
    const { declared } = completeExample("Project");
    const undeclared = Object.keys(settingsFields).filter((section) => !declared.has(section));
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
