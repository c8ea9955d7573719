import { conditionTypeMeanings, reasonMeanings } from "../../src/resources/conditions.ts";
import type { AnyKind } from "../../src/resources/kind.ts";
import { kinds } from "../../src/resources/kinds.ts";
import { code, describeType, escapeText, fieldsOf, rulesOf, table } from "./reference-schema.ts";
import { operationsPage } from "./operations.ts";
import { sectionsPage } from "./sections.ts";
import { settingsPage } from "./settings.ts";
import { toStructural } from "./structural.ts";
import type { StructuralSchema } from "./structural.ts";

/**
 * docs/reference/: for people who write manifests a page for each kind, one for conditions and reasons, and an index; for those who call the
 * Management API the page of its operations.
 */

const folder = "docs/reference";
const banner = "<!-- Generated from src/resources by `npm run generate`: change the kinds there, not this file. -->\n";

const explained = "`kubectl explain` says the same in a cluster.";
const refused = "The apiserver refuses a manifest that breaks one of these, in these words:";

function pageName(kind: AnyKind): string {
  return `${kind.singular}.md`;
}

function scopeOf(kind: AnyKind): string {
  return kind.type.namespaced ? "namespaced" : "cluster-wide";
}

function codes(texts: readonly string[]): string {
  return texts.map((text) => code(text)).join(", ");
}

function facts(kind: AnyKind): string {
  const { group, version, plural } = kind.type;
  const columns = (wide: boolean): string =>
    kind.printerColumns
      .filter(({ priority }) => (priority === 1) === wide)
      .map(({ name }) => name)
      .join(", ");
  const rows: (readonly [string, string])[] = [
    ["apiVersion", code(`${group}/${version}`)],
    ["resource", `${code(`${plural}.${group}`)}, short ${codes(kind.shortNames)}; ${scopeOf(kind)}`],
    [code("kubectl get"), `${columns(false)}; with ${code("-o wide")} also ${columns(true)}`],
  ];
  if (kind.selectableFields.length > 0) {
    rows.push([code("--field-selector"), codes(kind.selectableFields.map((path) => path.slice(1)))]);
  }
  return table(["", ""], rows);
}

function fieldTable(schema: StructuralSchema, written: "by people" | "by us"): string {
  const rows = fieldsOf(schema).map(({ path, node, required }) => [
    code(path),
    required && written === "by people" ? `**required** ${describeType(node)}` : describeType(node),
    escapeText(node.description ?? ""),
  ]);
  return table(["Field", "Type", "Meaning"], rows);
}

function ruleList(kind: AnyKind, spec: StructuralSchema): string {
  const fieldsByMessage = new Map<string, string[]>();
  const whole = kind.validations.map(({ message, fieldPath = "" }) => ({
    message,
    path: fieldPath.replace(/^\.spec\./, ""),
  }));
  for (const { path, message } of [...whole, ...rulesOf(spec)]) {
    const fields = fieldsByMessage.get(message) ?? [];
    if (!fields.includes(path)) fields.push(path);
    fieldsByMessage.set(message, fields);
  }
  return [...fieldsByMessage]
    .map(([message, fields]) => {
      const named = fields.filter((path) => path !== "");
      return named.length === 0 ? `- ${escapeText(message)}\n` : `- ${codes(named)}: ${escapeText(message)}\n`;
    })
    .join("");
}

/** The page of one kind. */
export function kindPage(kind: AnyKind): string {
  const spec = toStructural(kind.spec, "spec");
  const status = fieldTable(toStructural(kind.status, "status"), "by us");
  const sections = [
    `${banner}\n# ${kind.type.kind}\n\n${escapeText(kind.description)}\n`,
    facts(kind),
    `## Spec\n\n${explained}\n\n${fieldTable(spec, "by people")}`,
    `## Rules\n\n${refused}\n\n${ruleList(kind, spec)}`,
    `## Status\n\nWritten by the operator alone. What its [conditions and reasons](conditions.md) mean is the same for all kinds.\n\n${status}`,
  ];
  return sections.join("\n");
}

function conditionsPage(): string {
  const rows = (meanings: Readonly<Record<string, string>>): string =>
    table(
      ["", "When"],
      Object.entries(meanings).map(([word, meaning]) => [code(word), escapeText(meaning)]),
    );
  return [
    `${banner}\n# Conditions and reasons\n\nWhat to do about them is in [Operations](../operations.md).\n`,
    `## Condition types\n\n${rows(conditionTypeMeanings)}`,
    `## Reasons\n\nOf conditions and of events alike.\n\n${rows(reasonMeanings)}`,
  ].join("\n");
}

function indexPage(): string {
  const rows = kinds.map((kind) => [
    `[${kind.type.kind}](${pageName(kind)})`,
    codes(kind.shortNames),
    scopeOf(kind),
    escapeText(kind.description.split(/(?<=\.) /u)[0] ?? ""),
  ]);
  return [
    `${banner}\n# Reference\n\nEvery field of every kind. ${explained}\n`,
    table(["Kind", "Short", "Scope", "What it is"], rows),
    "[Conditions and reasons](conditions.md) are the same words for all kinds. [Sections](sections.md) are what a Project or Branch can be configured to be, and [Settings](settings.md) what the API calls its fields.\n",
    "[Operations of the Management API](operations.md): scopes, permissions, limits, repetitions, emulation.\n",
  ].join("\n");
}

/** A generator of files, as tools/generate.ts runs them: paths are relative to the repository. */
export const reference = {
  name: "reference",
  files: (): Promise<ReadonlyMap<string, string>> => {
    const pages = kinds.map((kind): readonly [string, string] => [pageName(kind), kindPage(kind)]);
    const others = [
      ["conditions.md", conditionsPage()] as const,
      ["sections.md", sectionsPage(banner)] as const,
      ["settings.md", settingsPage(banner)] as const,
      ["operations.md", operationsPage()] as const,
    ];
    const all = [["README.md", indexPage()] as const, ...pages, ...others];
    return Promise.resolve(new Map(all.map(([name, text]) => [`${folder}/${name}`, text])));
  },
};
