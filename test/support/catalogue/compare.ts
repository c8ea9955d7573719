import type { Operation } from "../../../src/api/contract/operation.ts";
import { authConfigText, postgresConfigText } from "./configs.ts";
import { type DeclaredField, declaredBody, declaredQuery, shapeOfAnswer } from "./declared.ts";
import { type CatalogueField, type CatalogueRow, catalogueRows, type FieldList } from "./rows.ts";
import { type Shape, shapeReader } from "./shapes.ts";

/** What the catalogue's text says, ready to be compared with the declarations. */
export interface Catalogue {
  readonly rows: readonly CatalogueRow[];
  /** the shape that some words mean */
  readonly shapeOf: (words: string) => Shape;
  /** fields that "any subset of X" leaves to be sent */
  readonly subsetOf: (name: string) => readonly CatalogueField[];
}

interface Documents {
  readonly endpoints: string;
  readonly behaviour: string;
  readonly facts: string;
}

export function readCatalogue({ endpoints, behaviour, facts }: Documents): Catalogue {
  const auth = authConfigText(endpoints);
  const postgres = postgresConfigText(endpoints);
  const named = shapeReader(`${behaviour}\n${endpoints}`);
  const shapeOf = (words: string): Shape => {
    const fields = { AuthConfig: auth.types, PostgresConfig: postgres }[words];
    if (fields === undefined) return named(words);
    return new Map([["", "object"], ...[...fields].map(([name, type]) => [name, JSON_TYPES[type] ?? type] as const)]);
  };
  const subsetOf = (name: string): readonly CatalogueField[] =>
    [...shapeOf(name)]
      .filter(([path]) => path !== "" && !(name === "AuthConfig" && auth.responseOnly.includes(path)))
      .map(([path, type]) => ({ name: path, required: false, type, deprecated: false }));
  return { rows: [...catalogueRows(endpoints), ...catalogueRows(addedRow(facts))], shapeOf, subsetOf };
}

/** The row of facts.md that the catalogue omits, in the catalogue's form. */
function addedRow(facts: string): string {
  const [, route, query, code, scope, permission] =
    /exists: (DELETE \S+)\s+\(query (.*?)\) -> (\d+) \{\}\. Scope (\S+), Perm (\w+)\./.exec(facts) ?? [];
  return `- ${route}. Q ${query?.replace(/, default.*$/, "")}. Scope ${scope}. Perm ${permission}. -> ${code} {}. Codes ${code}.`;
}

const JSON_TYPES: Readonly<Record<string, string>> = {
  enum: "string",
  "date-time": "string",
  "boolean string": "boolean",
};
/** Words that leave the type open. */
const OPEN_TYPES = new Set(["", "one-of", "unknown"]);

/** Statuses that any operation may answer with, listed or not (facts.md, head, and the first rows of §5). */
const USUAL = new Set([400, 401, 403, 404, 429]);

/** How a declaration differs from its row: "aspect: words of the text / declared". */
export function differences(operation: Operation, catalogue: Catalogue): readonly string[] {
  const row = catalogue.rows.find(({ method, path }) => method === operation.method && path === operation.path);
  if (row === undefined) return ["row: none / declared"];
  return [
    ...difference("scopes", row.scopes, operation.scopes),
    ...difference("permissions", row.permissions, operation.permissions),
    ...difference("plans", row.plans, operation.plans ?? []),
    ...difference("success", row.codes[0], operation.success.status),
    ...difference("success", row.answer.status, operation.success.status),
    ...codeDifferences(row, operation),
    ...difference("stability", stabilityOf(row), operation.stability),
    ...difference("deprecated", row.toBeRemoved || row.marks.includes("deprecated"), operation.deprecated === true),
    ...fieldDifferences("query", row.query.fields, declaredQuery(operation)),
    ...bodyDifferences(row.body, operation, catalogue),
    ...answerDifferences(row, operation, catalogue),
  ];
}

function difference(aspect: string, said: unknown, declared: unknown): readonly string[] {
  const [text, own] = [JSON.stringify(said), JSON.stringify(declared)];
  return text === own ? [] : [`${aspect}: ${text} / ${own}`];
}

const stabilityOf = ({ marks }: CatalogueRow): string =>
  ["beta", "alpha", "experimental"].find((mark) => marks.includes(mark)) ?? "stable";

function codeDifferences({ codes }: CatalogueRow, { errors, access }: Operation): readonly string[] {
  const always = access === "public" ? [429] : [401, 403, 429];
  const missing = [...new Set([...codes.slice(1), ...always])].filter((code) => !errors.includes(code));
  const further = errors.filter((code) => !codes.includes(code) && !USUAL.has(code));
  const twice = errors.filter((code, at) => errors.indexOf(code) !== at);
  return [
    ...missing.map((code) => `code ${code}: listed / missing`),
    ...further.map((code) => `code ${code}: not listed / declared`),
    ...twice.map((code) => `code ${code}: once / twice`),
  ];
}

function fieldDifferences(
  aspect: string,
  said: readonly CatalogueField[],
  declared: readonly DeclaredField[],
): readonly string[] {
  const names = new Set([...said, ...declared].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const text = said.find((field) => field.name === name);
    const own = declared.find((field) => field.name === name);
    if (text === undefined || own === undefined) {
      return [`${aspect} ${name}: ${text?.type ?? "none"} / ${own?.type ?? "none"}`];
    }
    return [
      ...difference(`${aspect} ${name}`, text.required ? "R" : "O", own.required ? "R" : "O"),
      ...difference(`${aspect} ${name} deprecated`, text.deprecated, own.deprecated),
      ...(sameType(text.type, own.type) ? [] : [`${aspect} ${name}: ${text.type} / ${own.type}`]),
    ];
  });
}

/** A whole number is a number. */
function sameType(said: string, declared: string): boolean {
  const [text, own] = [said, declared].map((words) =>
    words.replace(/^array of (.*)$/, (_, items: string) => `array of ${JSON_TYPES[items] ?? items}`),
  );
  const wanted = JSON_TYPES[text ?? ""] ?? text ?? "";
  return OPEN_TYPES.has(wanted) || wanted === own || (wanted === "number" && own === "integer");
}

function bodyDifferences(
  said: FieldList | undefined,
  operation: Operation,
  { subsetOf }: Catalogue,
): readonly string[] {
  const declared = declaredBody(operation);
  if (said === undefined || declared === undefined || typeof declared === "string") {
    return difference("body", said?.whole ?? said?.fields, declared);
  }
  const [, subset] = /^any subset of (?:the )?(\w+)$/.exec(said.whole ?? "") ?? [];
  return fieldDifferences("body", [...(subset === undefined ? [] : subsetOf(subset)), ...said.fields], declared);
}

/** "-> 2xx {}": a declared answer without a body, or one whose fields are not checked, says the same. */
function answerDifferences(
  { answer }: CatalogueRow,
  { success }: Operation,
  { shapeOf }: Catalogue,
): readonly string[] {
  const nothing = answer.shape === "" || answer.shape.startsWith("{}");
  if (success.kind !== "json") {
    const same = nothing && (success.kind === "empty" || (success.kind === "count" && answer.shape === ""));
    return same ? [] : [`answer: ${answer.shape} / ${success.kind}`];
  }
  const [said, declared] = [shapeOf(answer.shape), shapeOfAnswer(success.schema)];
  const open = [...said].filter(([path, type]) => path !== "" && type === "").map(([path]) => path);
  const paths = new Set([...said.keys(), ...declared.keys()]);
  return [...paths].flatMap((path) => {
    if (open.some((own) => path.startsWith(own) && /^[[{.]/.test(path.slice(own.length)))) return [];
    const [text, own] = [said.get(path), declared.get(path)];
    if (text !== undefined && own !== undefined && sameType(text, own)) return [];
    return [`answer ${path}: ${text ?? "none"} / ${own ?? "none"}`];
  });
}
