/** Longest message that is shown (engine.md §7). */
const LONGEST_MESSAGE = 256;
/** As much of a message is looked at: patterns over megabytes of a server's choice would take hours, in which nothing else runs. */
const LONGEST_READ = 8192;
const REDACTED = "[redacted]";
/** From this length on, the beginning of a secret is one too: servers cut the values that they quote. */
const RECOGNISABLE = 8;
/** Shorter secrets are replaced as whole words only, or nothing would be left of a message. */
const SHORT = 4;

const isoTimestamp = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g;
/** "request id: 1f2e…", "(requestId=…)", "trace-id …", "event id …": with the id, whatever it looks like. */
const labelledId =
  /[([]?\b(request|req|trace|correlation|event|error[ _-]?event|ray)[ _-]?id\b["']?\s*[:=#]?\s*["']?(?=[\w.:-]*\d)[\w.:-]+["']?[)\]]?/gi;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const control = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g;

/** What a message must not contain beside what is recognised by its form. */
export interface Sensitive {
  /** values sent as secrets in the request, and the access token */
  readonly secrets: readonly string[];
  /** ids of this one answer, from its headers and body */
  readonly ids: readonly string[];
}

/** Every form in which a server may quote a value. */
function spellings(secret: string): readonly string[] {
  // half of a surrogate pair, which JSON takes, has no form in a URL
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])];
}

/** Replaces a long secret and any beginning of it that is long enough to be recognised. */
function withoutLong(text: string, secret: string): string {
  const beginning = secret.slice(0, RECOGNISABLE);
  let rest = text;
  let clean = "";
  for (let at = rest.indexOf(beginning); at !== -1; at = rest.indexOf(beginning)) {
    let length = beginning.length;
    while (length < secret.length && rest[at + length] === secret[length]) length += 1;
    clean += rest.slice(0, at) + REDACTED;
    rest = rest.slice(at + length);
  }
  return clean + rest;
}

function withoutShort(text: string, secret: string): string {
  if (secret.length >= SHORT) return text.replaceAll(secret, REDACTED);
  const literal = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return text.replaceAll(new RegExp(String.raw`(?<!\w)${literal}(?!\w)`, "g"), REDACTED);
}

/**
 * A server's message as it may be shown and kept: without secrets, request ids, timestamps and control characters, at most 256
 * characters. Text that changes by itself would make a status write of every retry (engine.md §7, style.md "Errors").
 */
export function cleanMessage(text: string, { secrets, ids }: Sensitive): string {
  let clean = text.slice(0, LONGEST_READ);
  const longestFirst = secrets.flatMap(spellings).toSorted((a, b) => b.length - a.length);
  for (const secret of longestFirst) {
    if (secret !== "") clean = secret.length >= RECOGNISABLE ? withoutLong(clean, secret) : withoutShort(clean, secret);
  }
  // what the cut left of a secret is too short to be recognised
  if (text.length > LONGEST_READ) clean = clean.slice(0, 1 - RECOGNISABLE);
  for (const id of ids) if (id.length >= SHORT) clean = clean.replaceAll(id, "");
  clean = clean.replaceAll(labelledId, "").replaceAll(isoTimestamp, "").replaceAll(control, " ");
  clean = clean.replaceAll(/ {2,}/g, " ").trim();
  return clean.length <= LONGEST_MESSAGE ? clean : `${clean.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…`;
}
