/** What a password is called, and where in a text that ends with such a name its value is still to come. Pure. */

const STEM = String.raw`(?:password|passwd|passphrase|pwd)s?(?:_?(?:hash|digest|confirmation))?\d*`;
const NAME = new RegExp(String.raw`${STEM}|(?<=_)pass(?![a-z])|(?<=["'\x60])pass(?=\\*["'\x60])`, "i");
/** Behind it may stand spaces and quotes of a printer, which belong to words of SQL, and the end of a path. */
const LAST = new RegExp(String.raw`(?:${STEM}|_pass)[\u0080-\u00bf\u2000-\u206f\u3000"'\]}]*$`, "i");
/** Names of which one is the last: of a setting, a path in JSON, an option. */
const ONE_WORD = /^[\w.$\-[\]{},"]*$/;
const SIGN = String.raw`(?::=|=>|[=:]+|\bto|\blike)`;
/** With the quotes that end the name, and those that begin its value. */
const NAME_AT_END = new RegExp(String.raw`(?:${STEM}|_pass)["'\x60\\]*\s*${SIGN}?\s*(?:[en]?["'\\]+)?$`, "i");
const VALUE_DUE = /[\s'"\\=:]$/;
/** What stands for an argument that follows, in format(), raise and statements with parameters. */
const PLACEHOLDER = new RegExp(
  String.raw`(?:${STEM}|_pass)["'\x60\\)]{0,9}\s{0,9}${SIGN}?\s{0,9}["'\x60\\]{0,9}(?:%|\$\d)`,
  "i",
);
/** Longer than a name with what may stand behind it. */
const TAIL = 80;

/** Whether a text has any name of a password in it. */
export function namesPassword(text: string): boolean {
  return NAME.test(text);
}

/** Whether a word of a text is one. */
export function isPasswordName(word: string): boolean {
  return LAST.test(word.slice(-TAIL));
}

/** Whether what stands in quotes is one, maybe behind other words. */
export function endsAsPasswordName(content: string): boolean {
  return LAST.test(content.slice(-TAIL)) || /^pass$/i.test(content);
}

/** The same, alone. */
export function isOneWord(content: string): boolean {
  return ONE_WORD.test(content);
}

/** What the end of a text leaves to come: nothing, maybe a password, or certainly one, as of `alter role r password `. */
export function dueBehind(content: string): "nothing" | "maybe" | "password" {
  const tail = content.slice(-TAIL);
  if (!NAME_AT_END.test(tail)) return "nothing";
  return VALUE_DUE.test(tail) ? "password" : "maybe";
}

/** Whether an argument of what the text is given to is a password. */
export function hasPasswordPlaceholder(content: string): boolean {
  return PLACEHOLDER.test(content);
}
