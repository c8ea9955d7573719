import type { TextToken } from "./text-tokens.ts";

/** Longest name of a function or a table, in tokens: `a.b.c`. */
const LONGEST_CHAIN = 6;

/** Nothing that is compared with a word is longer. */
const LONGEST_WORD = 40;

/** How the tokens of a text are written, in small letters; nothing where none is, or a long one. */
export class Words {
  readonly #text: string;
  readonly #tokens: readonly TextToken[];

  constructor(text: string, tokens: readonly TextToken[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  /** Of words and signs. */
  at(index: number): string {
    return this.isString(index) ? "" : this.contentAt(index);
  }

  /** Of strings as well, without their quotes. */
  contentAt(index: number): string {
    const { from, to } = this.#tokens[index] ?? { from: 0, to: 0 };
    return to - from > LONGEST_WORD ? "" : this.#text.slice(from, to).toLowerCase();
  }

  isString(index: number): boolean {
    return this.#tokens[index]?.kind === "string";
  }

  /** Behind names with points between them that begin here. */
  chainEnd(index: number): number {
    if (!this.#isPart(index)) return index;
    let end = index + 1;
    while (end < index + LONGEST_CHAIN && this.at(end) === "." && this.#isPart(end + 1)) end += 2;
    return end;
  }

  /** Where such begin that end here. */
  chainStart(index: number): number {
    let start = index;
    while (start > index - LONGEST_CHAIN && this.at(start - 1) === "." && this.#isPart(start - 2)) start -= 2;
    return start;
  }

  #isPart(index: number): boolean {
    const token = this.#tokens[index];
    return token?.kind === "word" || (token?.kind === "string" && token.quote === '"');
  }
}
