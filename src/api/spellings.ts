/** Forms in which a server may quote a value that it was given, so that they are found in its words. Pure. */

/** From this length on, characters, the beginning of a value tells it from other text: servers cut the values that they quote. */
export const RECOGNISABLE = 8;
/** Shorter values are whole words only, and their bytes in letters would be anything. */
export const SHORT = 4;
/** So much of a value decides how each of its forms begins. */
const HEAD = 2 * RECOGNISABLE;

const HTML: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': "&quot;", "'": "&#39;" },
  { '"': "&quot;", "'": "&#x27;", "/": "&#x2F;" },
  { '"': "&#34;", "'": "&#39;" },
  { '"': "&quot;", "'": "&apos;" },
  { '"': "&quot;", "'": "&#039;" },
];

/** Upper case as lower case, so that %2f is %2F and 0a is 0A; letters of ASCII alone, with which the length stays. */
export function folded(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Values that give a secret away: itself, without the blanks and line breaks around it that a file has, and each of its lines that is long enough to
 * tell, as of a key in PEM.
 */
function parts(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/u).map((line) => line.trim());
  return [...new Set([secret, secret.trim(), ...lines.filter((line) => line.length >= RECOGNISABLE)])];
}

function unicodeEscaped(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** In JSON: as it must be, and with what PHP, Python, Go and their like escape beyond that. */
function inJson(value: string): readonly string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const ascii = unicodeEscaped(plain, /[\u0080-\uFFFF]/g);
  const slashes = [plain, ascii].map((text) => text.replaceAll("/", String.raw`\/`));
  return [plain, ascii, ...slashes, unicodeEscaped(plain, /[<>&\u2028\u2029]/g)];
}

/** In a URL and in a form; half of a surrogate pair, which JSON takes, has no form there. */
function inUrl(value: string): readonly string[] {
  const url = encodeURIComponent(value.toWellFormed());
  const strict = url.replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return [url, url.replaceAll("%20", "+"), strict, strict.replaceAll("%20", "+")];
}

function inHtml(value: string): readonly string[] {
  const text = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return HTML.map((names) => text.replaceAll(/["'/]/g, (sign) => names[sign] ?? sign));
}

/** Its bytes as letters; where it is bytes as letters itself, those in others. */
function inLetters(value: string): readonly string[] {
  if (value.length < SHORT) return [];
  const bytes = [Buffer.from(value, "utf8")];
  if (value.length >= HEAD && /^[0-9a-f]+$/i.test(value)) bytes.push(Buffer.from(value, "hex"));
  return bytes.flatMap((one) => [one.toString("base64"), one.toString("base64url"), one.toString("hex")]);
}

function forms(value: string): readonly string[] {
  return [value, ...inJson(value), ...inUrl(value), ...inHtml(value), ...inLetters(value)];
}

/** Every beginning that a text has at any of its places. */
function beginnings(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at + RECOGNISABLE <= text.length; at += 1) found.add(text.slice(at, at + RECOGNISABLE));
  return found;
}

/**
 * The forms of secrets that may stand in a text, longest first. Those whose beginning is nowhere in it are not made: secrets may be large and many, and
 * texts are short.
 */
export function spellings(secrets: readonly string[], text: string): readonly string[] {
  const inText = beginnings(folded(text));
  const mayStand = (value: string): boolean =>
    value.length < RECOGNISABLE ||
    forms(value.slice(0, HEAD)).some((form) => inText.has(folded(form).slice(0, RECOGNISABLE)));
  const values = secrets.flatMap(parts).filter((value) => value !== "" && mayStand(value));
  // no form is shorter than its value
  const found = new Set(values.flatMap((value) => forms(value.slice(0, text.length + HEAD))));
  return [...found].toSorted((a, b) => b.length - a.length);
}
