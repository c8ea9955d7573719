import type { Escapes } from "../../postgres/tokens.ts";

/** What stands in quotes as it is meant, with the way back. Pure, in time linear in it. */
export interface Unquoted {
  readonly text: string;
  /** where each unit of the text is written, and at last where it ends */
  readonly places: readonly number[];
}

const CODE_POINT = /\\(?:\\|([\da-f]{4})|\+([\da-f]{6}))/iy;
const ESCAPE = /\\(?:u([\da-f]{4})|U([\da-f]{8})|x([\da-f]{1,2})|[^])/y;
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

/** @param quote stands twice for itself, unless nothing is escaped */
export function unquoted(
  source: string,
  { from, to, escapes, quote }: { from: number; to: number; escapes: Escapes; quote: string },
): Unquoted {
  let text = "";
  const places: number[] = [];
  for (let at = from; at < to;) {
    const { meant, length } =
      escapes === "none" ? { meant: source.charAt(at), length: 1 } : signAt(source, at, { escapes, quote });
    for (let unit = 0; unit < meant.length; unit += 1) places.push(at);
    text += meant;
    at += length;
  }
  places.push(to);
  return { text, places };
}

interface Meant {
  readonly meant: string;
  readonly length: number;
}

function signAt(
  source: string,
  at: number,
  { escapes, quote }: { readonly escapes: Escapes; readonly quote: string },
): Meant {
  const sign = source.charAt(at);
  if (sign === quote && source.charAt(at + 1) === quote) return { meant: quote, length: 2 };
  if (sign !== "\\" || escapes === "quotes") return { meant: sign, length: 1 };
  const pattern = escapes === "backslashes" ? ESCAPE : CODE_POINT;
  pattern.lastIndex = at;
  const [escape, ...codes] = pattern.exec(source) ?? [];
  if (escape === undefined) return { meant: sign, length: 1 };
  const code = codes.join(""); // of one form there are digits at most
  if (code !== "") return { meant: ofCode(Number.parseInt(code, 16)), length: escape.length };
  const letter = escape.slice(1);
  return { meant: CONTROLS[letter] ?? letter, length: escape.length };
}

function ofCode(code: number): string {
  return code > 0x10_ff_ff ? "\uFFFD" : String.fromCodePoint(code);
}
