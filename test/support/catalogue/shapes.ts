import { insideBrackets, itemsOf, sentencesOf } from "./text.ts";

/**
 * Shapes as the text writes them, "{a string, b [{c integer}]}", as a list of paths. Fields of objects in an array stand behind `[]`,
 * those of a map's values behind `{}`: `b[].c`. Types are JSON's; "" where the text says none, and whatever is in it is open then.
 */
export type Shape = ReadonlyMap<string, string>;

/** Where a name is defined when its definition stands behind neither "Name = ", nor "- Name: ", nor "### Name". */
const DEFINED_BEHIND: Readonly<Record<string, string>> = {
  "full Migration": "Full entry: ",
  "Snippet summary": "### Snippet\nSummary: ",
  "Cursor-paginated envelope": "- Cursor-paginated envelope (v2 lists): ",
};

const TYPES: Readonly<Record<string, string>> = {
  string: "string",
  enum: "string",
  "date-time": "string",
  "uuid string": "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  array: "array",
  object: "object",
};

/** @param documents the catalogue's documents, in which names are looked up */
export function shapeReader(documents: string): (words: string) => Shape {
  return (words) => new Reading(documents).valueOf(words);
}

/** ": integers", "(strings unless noted)", "arrays of string", "date-time": said of what stands before it too */
const PLURAL = /^:? *\(?(?:strings|integers|arrays|date-time)\b/;

/** The reading of one shape: "same as above" and "(same)" mean what stood before in it. */
class Reading {
  readonly #documents: string;
  readonly #before: { readonly name: string; readonly shape: Shape }[] = [];

  constructor(documents: string) {
    this.#documents = documents;
  }

  /** Of what stands behind a name or an arrow. The empty path is the value itself. */
  valueOf(words: string, name = ""): Shape {
    const text = words.replace(/^: ?/, "").trim();
    const again = this.#sameAs(text, name);
    if (again !== undefined) return again;
    const [, items] = /^array of ([{A-Z].*)$/s.exec(text) ?? (text.startsWith("[") ? [text, insideBrackets(text)] : []);
    if (items !== undefined) return arrayOf(this.valueOf(items, name));
    const [, values] = /^map from a name to (\{.*)$/s.exec(text) ?? [];
    if (values !== undefined) return mapOf(this.valueOf(values));
    const [, fields] = /^(?:object |[A-Z]\w+ = )?(\{.*)$/s.exec(text) ?? [];
    if (fields !== undefined) return this.fieldsOf(insideBrackets(fields));
    return this.#named(text) ?? new Map([["", typeOf(text)]]);
  }

  /** "a string, b, c (strings); d {…}": an item without a type has the one that is said of several behind it. */
  fieldsOf(words: string): Shape {
    const items = itemsOf(words).map((item) => /^`?([A-Za-z_]\w*)`?(.*)$/s.exec(item) ?? []);
    const fields = new Map<string, string>([["", "object"]]);
    for (const [at, [, name = "", rest = ""]] of items.entries()) {
      if (name === "" || (name === "all" && PLURAL.test(rest))) continue; // "all strings" is about the items before it
      const shape = this.valueOf(rest, name);
      this.#before.push({ name, shape });
      const untyped = /^\s*(\(example[^)]*\))?$/.test(rest);
      const ofSeveral = items.slice(at).find(([, , later = ""]) => PLURAL.test(later))?.[2] ?? "";
      for (const [path, type] of under(name, shape)) fields.set(path, untyped ? typeOf(ofSeveral) : type);
    }
    return fields;
  }

  #sameAs(text: string, name: string): Shape | undefined {
    const [, other] = /^same (?:(\w+) shape|as above)$/.exec(text) ?? [];
    if (text === "(same)") return this.#before.at(-1)?.shape;
    if (!text.startsWith("same ")) return undefined;
    const found = this.#before.findLast((one) => one.name === (other ?? name))?.shape;
    // of an array the brackets stand around these words
    return found === undefined
      ? undefined
      : new Map([...found].map(([path, type]) => [path.replace(/^\[\]\.?/, ""), type]));
  }

  #named(name: string): Shape | undefined {
    const [, listed] = /^cursor-paginated (\w+)$/.exec(name) ?? [];
    if (listed !== undefined) {
      const envelope = this.valueOf("Cursor-paginated envelope");
      return new Map([...envelope, ...under("data", arrayOf(this.valueOf(listed)))]);
    }
    if (name === "Snippet (full)") return this.#extended("Snippet summary", this.#behind("Full adds ") ?? "");
    const definition = this.#definition(name);
    if (definition === undefined) return undefined;
    const [, base, more = ""] = /^(\w+) plus (.*)$/s.exec(definition) ?? [];
    if (base !== undefined) return this.#extended(base, more);
    return definition.startsWith("{") ? this.valueOf(definition) : this.fieldsOf(definition);
  }

  #extended(base: string, more: string): Shape {
    return new Map([...this.valueOf(base), ...this.fieldsOf(more)]);
  }

  #definition(name: string): string | undefined {
    const behind = DEFINED_BEHIND[name];
    if (behind !== undefined) return this.#behind(behind);
    if (!/^[A-Z][\w-]+$/.test(name)) return undefined;
    const table = new RegExp(`^### ${name}\\n\\| Field.*\\n\\|.*\\n((?:\\|.*\\n)+)`, "m").exec(this.#documents)?.[1];
    if (table !== undefined) return table.replaceAll(/^\| (\w+) \| (\w+) .*$/gm, "$1 $2,");
    return (
      this.#behind(`${name} = `) ??
      this.#behind(`- ${name}: `) ??
      this.#behind(new RegExp(`^### ${name}(?: \\([^)]*\\))?\\n`, "m"))
    );
  }

  /** The sentence behind some words. */
  #behind(words: string | RegExp): string | undefined {
    const [found] = typeof words === "string" ? [words] : (words.exec(this.#documents) ?? []);
    const at = found === undefined ? -1 : this.#documents.indexOf(found);
    if (found === undefined || at < 0) return undefined;
    const [line = ""] = this.#documents.slice(at + found.length).split("\n");
    return sentencesOf(line)[0];
  }
}

/** Of "string (example free)", "(strings)", "strings", "'a_name'", "(arrays of string)". */
function typeOf(words: string): string {
  const text = words.replace(/^[: ]+/, "");
  if (text.startsWith("'")) return "string";
  const [, bracketed] = /^\((\w+)/.exec(text) ?? [];
  const said = bracketed ?? text.replace(/\s*\(.*$/s, "");
  const singular = said.replace(/^(?:all )?(array|string|integer|boolean|number)s?\b.*$/, "$1");
  return TYPES[singular] ?? "";
}

/** A shape one step further down. */
export function under(step: string, shape: Shape): Shape {
  return new Map(
    [...shape].map(([path, type]) => [/^(?:$|[[{])/.test(path) ? `${step}${path}` : `${step}.${path}`, type]),
  );
}

/** Items and values without fields of their own are told by the array's or object's type alone. */
export const arrayOf = (items: Shape): Shape =>
  new Map([["", "array"], ...(items.size === 1 ? [] : under("[]", items))]);
export const mapOf = (values: Shape): Shape =>
  new Map([["", "object"], ...(values.size === 1 ? [] : under("{}", values))]);
