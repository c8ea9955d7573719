import { knownInWords } from "./near.ts";

/**
 * What a schema refuses, in words for whoever wrote it: where it stands, what is missing, what was meant by a key that no schema knows.
 *
 * Without zod's types, since nothing that everybody may import depends on a package.
 */

interface RawIssue {
  readonly code?: string | undefined;
  readonly keys?: readonly unknown[] | undefined;
  readonly expected?: unknown;
  readonly values?: readonly unknown[] | undefined;
  readonly input?: unknown;
  /** what each alternative refuses */
  readonly errors?: readonly (readonly Issue[])[] | undefined;
  /** what is wrong with a key */
  readonly issues?: readonly Issue[] | undefined;
  /** of the field that tells alternatives apart */
  readonly options?: readonly unknown[] | undefined;
  /** the schema that raised it */
  readonly inst?: unknown;
}

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** So many mistakes are corrected at once. */
const MOST_ISSUES = 10;

/** For the `error` option of a zod parse. Words of a schema's own go before these; never the value. */
export function issueWords(issue: RawIssue): string | undefined {
  const { code = "" } = issue;
  switch (code) {
    case "unrecognized_keys":
      return unknownKeys(issue);
    case "invalid_type":
      return expectation(typeWords(issue.expected), issue.input, `, received ${receivedWords(issue.input)}`);
    case "invalid_value":
      return expectation(valueWords(issue.values ?? []), issue.input);
    case "invalid_key":
      return `its name: ${issueLines(issue.issues ?? []).join(", ")}`;
    case "invalid_union":
      return issue.input === undefined ? "is missing" : alternativesWords(issue);
    default:
      return undefined;
  }
}

/** Each issue with its place. Keys that are not known go first: what is missing is often one of them. */
export function issueLines(issues: readonly Issue[]): readonly string[] {
  const keysFirst = issues.toSorted((a, b) => Number(isOfKeys(b)) - Number(isOfKeys(a)));
  const lines = keysFirst.map(({ path, message }) => placed(pathWords(path), message));
  const more = lines.length - MOST_ISSUES;
  return more > 0 ? [...lines.slice(0, MOST_ISSUES), `and ${more} more`] : lines;
}

/** All of them behind what they are about: in its line when there is one, else each in its own. */
export function issuesBehind(about: string, issues: readonly Issue[]): string {
  const lines = issueLines(issues);
  return lines.length === 1 ? `${about}: ${lines.join("")}` : [`${about}:`, ...lines].join("\n  ");
}

/** A name, a value or a depth may be of any length where what is refused is not what was meant. */
const LONGEST = 80;
const MOST_LEVELS = 10;

/** `projects[0].name` */
export function pathWords(path: readonly PropertyKey[]): string {
  const { levels, isCut } = firstLevels(path);
  const words = levels.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    const name = cut(String(part));
    if (!/^[\w-]+$/u.test(name)) return `${before}[${JSON.stringify(name)}]`;
    return before === "" ? name : `${before}.${name}`;
  }, "");
  return isCut ? `${words}…` : words;
}

/** As many levels of a path as are said. */
export function firstLevels(path: readonly PropertyKey[]): {
  readonly levels: readonly PropertyKey[];
  readonly isCut: boolean;
} {
  return { levels: path.slice(0, MOST_LEVELS), isCut: path.length > MOST_LEVELS };
}

/** As much of a text as is said of it. */
export function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function placed(place: string, words: string): string {
  return place === "" ? words : `${place}: ${words}`;
}

function isOfKeys({ code }: Issue): boolean {
  return code === "unrecognized_keys";
}

function unknownKeys({ keys = [], inst }: RawIssue): string {
  const names = keys.slice(0, MOST_ISSUES).map((key) => cut(String(key)));
  const more = keys.length > names.length ? ` and ${keys.length - names.length} more` : "";
  const written = names.map((name) => JSON.stringify(name)).join(", ") + more;
  const words = keys.length === 1 ? `Unrecognized key: ${written}` : `Unrecognized keys: ${written}`;
  return `${words}${knownInWords(names, Object.keys(shapeOf(inst)))}`;
}

function expectation(expected: string, input: unknown, received = ""): string {
  if (input === undefined) return expected === "" ? "is missing" : `is missing (${expected})`;
  return `expected ${expected}${received}`;
}

/** What each alternative refuses, but for those of another type, unless all are. */
export function alternatives<I extends Pick<Issue, "code" | "path">>(
  errors: readonly (readonly I[])[],
): readonly (readonly I[])[] {
  const ofItsType = errors.filter((issues) =>
    issues.some(({ code, path }) => code !== "invalid_type" || path.length > 0),
  );
  return ofItsType.length > 0 ? ofItsType : errors;
}

function alternativesWords({ errors = [], options = [] }: RawIssue): string | undefined {
  if (options.length > 0) return `expected ${valueWords(options)}`;
  const words = alternatives(errors).flatMap((issues) => issueLines(issues.slice(0, 1)));
  return words.length > 0 ? [...new Set(words)].join(", or ") : undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  nonoptional: "",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

function typeWords(expected: unknown): string {
  return TYPES[String(expected)] ?? String(expected);
}

function valueWords(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value)).join(", ");
  return values.length === 1 ? words : `one of ${words}`;
}

function receivedWords(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "number" && !Number.isFinite(input)) return String(input);
  if (typeof input === "number" && !Number.isInteger(input)) return "a fraction";
  if (typeof input === "boolean") return "true or false";
  return typeof input === "object" ? "an object" : `a ${typeof input}`;
}

function shapeOf(schema: unknown): object {
  if (typeof schema !== "object" || schema === null || !("shape" in schema)) return {};
  return typeof schema.shape === "object" && schema.shape !== null ? schema.shape : {};
}
