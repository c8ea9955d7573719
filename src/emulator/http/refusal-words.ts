import type { z } from "zod";
import { alternatives, cut, firstLevels } from "../../base/schema-words.ts";
import { isHiddenAt } from "./declared-fields.ts";
import { CENSOR, isSensitive, shownText } from "./redact.ts";

/** Why a request is refused: the field, what was expected and what came (facts.md §5, "create with bad enum"), but for what is secret. */

const MOST_ISSUES = 5;

type SchemaIssue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface Refused {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** what of the request it is, for what is wrong with all of it */
  readonly part: string;
}

export function refusalWords(issues: readonly SchemaIssue[], { schema, value, part }: Refused): string {
  const isHidden = (path: Path): boolean =>
    path.some((key) => isSensitive(String(key))) || isHiddenAt(schema, value, path);
  const isText = TEXTS.has(part);
  // of many thousands, each with a place of its own, the words of all would take half a minute
  const said = issues.values().flatMap(narrowed).take(MOST_ISSUES);
  const words = said.map((issue) => {
    let known: boolean | undefined; // an issue may have as many alternatives as its schema
    const about: About = { isText, isHidden: () => (known ??= isHidden(issue.path)) };
    return `${placeWords(issue.path) || part}: ${expectation(issue, about)}${received(issue, about)}`;
  });
  return [...words].join("; ");
}

/** The parts of a request that come as text: what is no text there is written without quotes anyway. */
const TEXTS: ReadonlySet<string> = new Set(["path", "query"]);

interface About {
  readonly isText: boolean;
  readonly isHidden: () => boolean;
}

/** Where in a request something is: its names are a client's, as the values are. */
export function placeWords(path: Path): string {
  const { levels, isCut } = firstLevels(path);
  const names = levels.map((key) => said(String(key)));
  const shown = names.map((name) => (name === "" ? quote(name) : name));
  return (isCut ? [...shown, "…"] : shown).join(".");
}

/** Of alternatives, what is wrong with the one that is meant, where that can be told; what no alternative allows stays one refusal. */
function* narrowed(issue: SchemaIssue): Generator<SchemaIssue, void> {
  if (issue.code !== "invalid_union") {
    yield issue;
    return;
  }
  const { path, discriminator = "", input } = issue;
  if ("options" in issue) {
    // the path is the discriminator's already, and the input all that it stands in
    const came: unknown = Reflect.get(Object(input), discriminator);
    yield { code: "invalid_value", path, values: [...issue.options], input: came, message: "" };
    return;
  }
  const [meant, another] = alternatives(issue.errors);
  if (meant === undefined || another !== undefined) yield issue;
  else for (const inner of meant) yield* narrowed({ ...inner, path: [...path, ...inner.path] });
}

function expectation(issue: SchemaIssue, about: About): string {
  if (issue.code === "invalid_value") return `Invalid enum value. Expected ${issue.values.map(quote).join(" | ")}`;
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.slice(0, MOST_ISSUES).map(echoed);
    const more = issue.keys.length > MOST_ISSUES ? ["…"] : [];
    return about.isHidden() ? "Unrecognized key(s)" : `Unrecognized key(s): ${[...keys, ...more].join(", ")}`;
  }
  if (issue.code === "invalid_key") {
    return `Invalid name: ${issue.issues.map((inner) => expectation(inner, about)).join(", ")}`;
  }
  if (issue.code === "invalid_type" && issue.expected === "boolean") {
    const isQuoted = typeof issue.input === "string" && !about.isText;
    return `${OF_TYPE}expected true or false${isQuoted ? " without quotes" : ""}`;
  }
  if (issue.code === "invalid_union") {
    const all = alternatives(issue.errors).flatMap(([first]) => (first === undefined ? [] : expectation(first, about)));
    const [words, ...others] = new Set(all);
    if (words !== undefined) return [words, ...others.map((other) => other.replace(OF_TYPE, ""))].join(", or ");
  }
  return issue.message.replace(/, received .*$/, "");
}

/** With it begins what is said of a value of another type. */
const OF_TYPE = "Invalid input: ";

/** What came, by its type; by its value only where it is declared, and neither that nor the name of a field says that it is secret. */
function received(issue: SchemaIssue, about: About): string {
  if (issue.code === "unrecognized_keys") return "";
  const [ofName] = issue.code === "invalid_key" ? issue.issues : [];
  if (ofName !== undefined) return received(ofName, about);
  const { input } = issue;
  if ((typeof input === "string" || typeof input === "number") && isEchoed(issue) && !about.isHidden()) {
    return `, received ${echoed(String(input))}`;
  }
  if (typeof input === "string" && issue.code === "too_big") return `, received ${input.length}`;
  return `, received ${typeName(input)}`;
}

/** What is no URL may have a password that nobody finds: where it is to be one, nothing of it is repeated. */
function isEchoed(issue: SchemaIssue): boolean {
  if (typeof issue.input === "number") return true;
  if (issue.code === "invalid_union") return issue.errors.some((issues) => issues.some(isEchoed));
  return issue.code === "invalid_value" || (issue.code === "invalid_format" && issue.format !== "url");
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whatever it was to be, a URL with a password may be there instead, and a broken one may begin anywhere. */
const MAY_HAVE_PASSWORD = /:[^@]*@/;

function said(text: string): string {
  const shown = shownText(text);
  return MAY_HAVE_PASSWORD.test(shown.replaceAll(`:${CENSOR}@`, "")) ? CENSOR : cut(shown);
}

function echoed(text: string): string {
  return quote(said(text));
}

function quote(text: unknown): string {
  return `'${String(text)}'`;
}
