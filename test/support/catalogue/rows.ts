import { itemsOf, sentencesOf } from "./text.ts";

/** A query parameter or body field of a row: "name R string". */
export interface CatalogueField {
  readonly name: string;
  readonly required: boolean;
  /** the text's words: "string", "array of object", "boolean string"; empty where it says none */
  readonly type: string;
  readonly deprecated: boolean;
}

/** What a row says of a list of fields. */
export interface FieldList {
  readonly fields: readonly CatalogueField[];
  /** where the row gives no names: what it says instead, "array of object" or "any subset of X" */
  readonly whole?: string;
  /** items that are no field but words about the list */
  readonly remarks: readonly string[];
}

/** One operation as the catalogue's text has it. */
export interface CatalogueRow {
  readonly method: string;
  readonly path: string;
  /** words in the brackets behind the path, in lower case */
  readonly marks: readonly string[];
  readonly scopes: readonly string[];
  /** any one of the lists, each of them whole */
  readonly permissions: readonly (readonly string[])[];
  readonly plans: readonly string[];
  /** the success code first */
  readonly codes: readonly number[];
  readonly query: FieldList;
  readonly body?: FieldList;
  /** the code behind the arrow and the words behind the code */
  readonly answer: { readonly status: number; readonly shape: string };
  /** the row says that the operation will be removed, and to check for 404 */
  readonly toBeRemoved: boolean;
}

const NO_FIELDS: FieldList = { fields: [], remarks: [] };
const ROW =
  /^- (GET|HEAD|POST|PUT|PATCH|DELETE) (same path|\/v\d[^\s.,]*(?:\.[^\s.,]+)*)((?:, \/[\w/-]+)*)(?: \(([^)]*)\))?\. (.*)$/;

/** Every row of endpoints.md, one for each path. A row that cannot be read is an error, never left out. */
export function catalogueRows(endpoints: string): readonly CatalogueRow[] {
  const rows: CatalogueRow[] = [];
  for (const line of endpoints.split("\n").filter((text) => /^- [A-Z]+ (\/|same path)/.test(text))) {
    const [, method = "", first = "", others = "", marks = "", text = ""] = ROW.exec(line) ?? [];
    if (method === "") throw new RangeError(`cannot read the row: ${line}`);
    const path = first === "same path" ? (rows.at(-1)?.path ?? "") : first;
    const siblings = others.split(", ").filter((name) => name !== "");
    const said = { method, marks: itemsOf(marks.toLowerCase()), ...factsOf(sentencesOf(text), rows) };
    const paths = [path, ...siblings.map((name) => path.replace(/\/[^/]*$/, name))];
    rows.push(...paths.map((each) => ({ ...said, path: each })));
  }
  return rows;
}

type Facts = Omit<CatalogueRow, "method" | "path" | "marks">;

function factsOf(sentences: readonly string[], before: readonly CatalogueRow[]): Facts {
  const previous = before.at(-1);
  const behind = (word: string): string | undefined =>
    sentences.find((sentence) => sentence.startsWith(`${word} `))?.slice(word.length + 1);
  const same = sentences.find((sentence) => /^Same (scope|Q)/.test(sentence)) ?? "";
  const inherits = (word: string): boolean => same.toLowerCase().includes(word);
  const body = bodyOf(sentences);
  const said: Facts = {
    scopes: scopesOf(behind("Scope")),
    permissions: permissionsOf(behind("Perm")),
    plans: plansOf(sentences),
    codes: itemsOf(behind("Codes") ?? "").map(Number),
    query: queryOf(behind("Q"), before),
    ...(body === undefined ? {} : { body }),
    answer: answerOf(behind("->"), previous),
    toBeRemoved: /check for 404/.test(sentences.join(". ")),
  };
  if (previous === undefined) return said;
  return {
    ...said,
    ...(inherits("scope") ? { scopes: previous.scopes } : {}),
    ...(inherits("perm") ? { permissions: previous.permissions } : {}),
    ...(inherits("q ") ? { query: previous.query } : {}),
    ...(inherits("body") && previous.body !== undefined ? { body: previous.body } : {}),
  };
}

const scopesOf = (words: string | undefined): readonly string[] =>
  words === undefined || !words.includes(":") ? [] : words.split(" and ");

function permissionsOf(words: string | undefined): CatalogueRow["permissions"] {
  if (words === undefined || words.includes("none listed")) return [];
  return words.split(" or ").map((alternative) => alternative.split(" and "));
}

function plansOf(sentences: readonly string[]): readonly string[] {
  const said = sentences
    .map((sentence) => /^(?:Plans (.*)|(\w+) plan)$/.exec(sentence))
    .find((match) => match !== null);
  return itemsOf((said?.[1] ?? said?.[2] ?? "").toLowerCase());
}

function queryOf(words: string | undefined, before: readonly CatalogueRow[]): FieldList {
  if (words === "as the deprecated create") {
    return (
      before.findLast(({ marks, method }) => method === "POST" && marks.includes("deprecated"))?.query ?? NO_FIELDS
    );
  }
  return words === undefined ? NO_FIELDS : fieldList(words);
}

function bodyOf(sentences: readonly string[]): FieldList | undefined {
  const said = sentences.map((sentence) => /^(?:B (.*)|Body: (.*))$/.exec(sentence)).find((match) => match !== null);
  if (said === undefined) return undefined;
  const [, listed, described = ""] = said;
  if (listed !== undefined) return fieldList(listed);
  // "two forms appear, a raw string and an object {a R, b O boolean}", "(string, or object {a, b} all O)"
  const [, inner = "", all = ""] = /\{([^}]*)\}( all O)?/.exec(described) ?? [];
  return fieldList(
    all === ""
      ? inner
      : itemsOf(inner)
          .map((name) => `${name} O`)
          .join(", "),
  );
}

function answerOf(words: string | undefined, previous: CatalogueRow | undefined): CatalogueRow["answer"] {
  const [, status = "", shape = ""] = /^(\d{3})\s*(.*)$/.exec(words ?? "") ?? [];
  return { status: Number(status), shape: shape === "same shape" ? (previous?.answer.shape ?? "") : shape };
}

/** "a R string, b, c (O string), d O, e O (strings)": what is not said of an item is what is said of the next one. */
function fieldList(words: string): FieldList {
  const [, whole, plus = ""] = /^((?:any subset|array) of (?:the )?\w+)\b(?:.*? plus (.*))?/.exec(words) ?? [];
  const fields: CatalogueField[] = [];
  const remarks: string[] = [];
  let next = { mark: "", type: "" };
  for (const item of itemsOf(whole === undefined ? words : plus).toReversed()) {
    const [, name = "", mark, rest] =
      /^([A-Za-z]\w*)(?: (R|O)\b)?((?: .*)?)$/.exec(item.replace(/\((?:all |each )?(R|O)( [^)]*)?\)$/, "$1$2")) ?? [];
    if (name === "" || (mark === undefined && rest !== "")) {
      remarks.unshift(item);
      continue;
    }
    const type = typeWords(rest ?? "");
    next = { mark: mark ?? next.mark, type: type === "" ? next.type : type };
    if (next.mark === "") throw new RangeError(`neither R nor O: ${item} in ${words}`);
    fields.unshift({ name, required: next.mark === "R", type: next.type, deprecated: item.includes("(deprecated)") });
  }
  return { fields, remarks, ...(whole === undefined ? {} : { whole }) };
}

/** " enum (omit for the smallest size)" → "enum"; " (strings)" → "string"; " (deprecated)" → "". */
function typeWords(words: string): string {
  const plural = /^ \((\w+)s\)$/.exec(words)?.[1];
  return plural ?? words.replaceAll(/\([^)]*\)/g, "").trim();
}
