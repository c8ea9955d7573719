import { sentencesOf } from "./text.ts";

/** The two long configurations of endpoints.md, which the text describes by groups and rules: types by name. */

export interface AuthConfigText {
  /** the text's word: boolean, integer, number, string, enum or date-time */
  readonly types: ReadonlyMap<string, string>;
  /** fields marked "(resp)" */
  readonly responseOnly: readonly string[];
}

const NAME_OR_TYPE =
  /\b(?<name>[a-z][a-z0-9]*(?:_[a-zA-Z0-9]+)+)|\((?<type>boolean|integer|number|string|enum|date-time)\b(?<resp>[^)]*\bresp\b)?/g;

/** "For each: external_P_enabled (boolean), …": a type stands behind the names it is said of, or behind the name of the group. */
export function authConfigText(endpoints: string): AuthConfigText {
  const [, section = ""] = /\nAuthConfig fields[^\n]*\n(.*?)\n\n/s.exec(endpoints) ?? [];
  const types = new Map<string, string>();
  const responseOnly: string[] = [];
  for (const { name, type, resp } of section.split("\n").flatMap(fieldsOfGroup)) {
    types.set(name, type);
    if (resp) responseOnly.push(name);
  }
  return { types, responseOnly };
}

interface Token {
  readonly name?: string;
  readonly type?: string;
  readonly resp?: string;
}

interface GroupField {
  readonly name: string;
  readonly type: string;
  readonly resp: boolean;
}

function fieldsOfGroup(line: string): readonly GroupField[] {
  const lists = new Map<string, readonly string[]>();
  const rest = line.replaceAll(/\b([A-Z]) in:? ([a-z0-9_, ]+)/g, (_, letter: string, list: string) => {
    lists.set(letter, list.trim().split(", "));
    return "";
  });
  const [, ofGroup = ""] = /^- [\w ]+ \((\w+)\):/.exec(rest) ?? [];
  const found = [...rest.matchAll(NAME_OR_TYPE)].map(({ groups }): Token => ({ ...groups }));
  return found.flatMap(({ name }, at) => {
    if (name === undefined) return [];
    const { type = ofGroup, resp } = found.slice(at).find((one) => one.type !== undefined) ?? {};
    const [, letter = ""] = /_([A-Z])(?:_|$)/.exec(name) ?? [];
    const values = lists.get(letter);
    const names = values === undefined ? [name] : values.map((value) => name.replace(`_${letter}`, `_${value}`));
    return names.map((one) => ({ name: one, type, resp: resp !== undefined }));
  });
}

/** "strings: a, b. Booleans: c, d. Enum: e (example origin)." */
export function postgresConfigText(endpoints: string): ReadonlyMap<string, string> {
  const [, words = ""] = /\nPostgresConfig fields: ([^\n]*)/.exec(endpoints) ?? [];
  const types: Readonly<Record<string, string>> = {
    strings: "string",
    booleans: "boolean",
    integers: "integer",
    enum: "enum",
  };
  return new Map(
    sentencesOf(words).flatMap((sentence) => {
      const [, group = "", names = ""] = /^(\w+): (.*)$/.exec(sentence) ?? [];
      const type = types[group.toLowerCase()];
      if (type === undefined) throw new RangeError(`cannot read the fields: ${sentence}`);
      return names.split(", ").map((name) => [name.replace(/ .*$/, ""), type] as const);
    }),
  );
}
