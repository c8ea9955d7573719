import type { Words } from "./words.ts";

/** What stands between the name of a password and its value. Pure, and looks at few tokens. */
export type SignKind = "colon" | "assignment" | "comparison" | "comma" | "to" | "call";

export interface ValueSign {
  readonly kind: SignKind;
  /** which token it is; for a call the bracket */
  readonly index: number;
}

const DIRECT: Readonly<Record<string, SignKind>> = { ",": "comma", to: "to", "(": "call" };
const ASSIGNMENTS: ReadonlySet<string> = new Set(["=", "==", "===", ":=", "=>", "default"]);
const COMPARISONS: ReadonlySet<string> = new Set(
  "<> != ~ ~* !~ !~* ~~ ~~* !~~ !~~* < > <= >= like ilike in similar".split(" "),
);
const TYPES =
  "text varchar character varying char bpchar citext bytea name json jsonb constant not null collate type".split(" ");
/** May stand before the sign: what closes around a name, a cast, the type of a column or a variable, `is not distinct from`. */
const PASSED: ReadonlySet<string> = new Set([...TYPES, ..."is was distinct ) ] [ :: % .".split(" ")]);
const TYPE_NAMES: ReadonlySet<string> = new Set(TYPES);
const MOST_PASSED = 12;

export function isTypeName(word: string): boolean {
  return TYPE_NAMES.has(word);
}

/** Whether a sign or a word compares or assigns. */
export function compares(written: string): boolean {
  return written === "=" || COMPARISONS.has(written);
}

/** @param name which token it is */
export function signBehind(words: Words, name: number): ValueSign | undefined {
  for (let index = name + 1; index <= name + MOST_PASSED && !words.isString(index); index += 1) {
    const word = words.at(index);
    const before = words.at(index - 1);
    const kind = kindOf(word, { isDirect: index === name + 1, before });
    if (kind !== undefined) return { kind, index };
    if (isTypeName(before) && word === "(") index += 2; // the length of a type
    else if (!PASSED.has(word)) return undefined;
  }
  return undefined;
}

function kindOf(
  word: string,
  { isDirect, before }: { readonly isDirect: boolean; readonly before: string },
): SignKind | undefined {
  if (isDirect && word in DIRECT) return DIRECT[word];
  if (ASSIGNMENTS.has(word)) return "assignment";
  if (COMPARISONS.has(word) || (word === "from" && before === "distinct")) return "comparison";
  const isColon = word !== "" && word.replaceAll("*", "") === ":";
  return isColon && (isDirect || before === "is" || before === "was") ? "colon" : undefined;
}
