/** PostgreSQL's text for a record: `(1,"two words",,"")`. */

/** The values within, in the text of their own types. @param columns how many there are: `()` is no value or one null */
export function valuesOfRecord(text: string, columns: number): readonly (string | null)[] {
  if (columns === 0) return [];
  const values: (string | null)[] = [];
  let at = 1;
  while (values.length < columns) {
    const { value, end } = valueAt(text, at);
    values.push(value);
    at = end + 1; // past the comma
  }
  return values;
}

interface FoundField {
  readonly value: string | null;
  readonly end: number;
}

/** Parts in quotes may stand beside parts without; nothing at all is null. */
function valueAt(text: string, from: number): FoundField {
  let value = "";
  let quoted = false;
  let at = from;
  while (at < text.length && (quoted || !/[,)]/.test(text.charAt(at)))) {
    const sign = text.charAt(at);
    if (sign === "\\" || (quoted && sign === '"' && text.charAt(at + 1) === '"')) {
      value += text.charAt(at + 1);
      at += 2;
    } else {
      if (sign === '"') quoted = !quoted;
      else value += sign;
      at += 1;
    }
  }
  return { value: at === from ? null : value, end: at };
}
