/**
 * The catalogue's text as data, for tests that compare it with the declarations of src/api/contract. What is here reads the words of
 * docs/contract and knows nothing of the declarations.
 */

const OPENING = "({[";
const CLOSING = ")}]";

/** Cuts at the separators that stand outside of all brackets. */
function splitOutside(text: string, isSeparator: (text: string, at: number) => boolean): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (OPENING.includes(char)) depth++;
    if (CLOSING.includes(char)) depth--;
    if (depth === 0 && isSeparator(text, at)) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim()).filter((part) => part !== "");
}

/** Sentences end with a full stop before a blank or the end. */
export const sentencesOf = (text: string): readonly string[] =>
  splitOutside(text, (all, at) => all.charAt(at) === "." && /^(\s|$)/.test(all.slice(at + 1, at + 2)));

/** Items of an enumeration: "a, b; c". */
export const itemsOf = (text: string): readonly string[] =>
  splitOutside(text, (all, at) => ",;".includes(all.charAt(at)));

/** What stands between the bracket at the text's beginning and the one that closes it. */
export function insideBrackets(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (OPENING.includes(text.charAt(at))) depth++;
    if (CLOSING.includes(text.charAt(at))) depth--;
    if (depth === 0) return text.slice(1, at);
  }
  throw new RangeError(`no end of the bracket: ${text}`);
}
