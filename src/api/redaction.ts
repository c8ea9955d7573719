import { folded, RECOGNISABLE, SHORT, spellings } from "./spellings.ts";

/** Longest message that is shown (engine.md §7). */
const LONGEST_MESSAGE = 256;
/** As much of a message is looked at: patterns over megabytes of a server's choice would take hours, in which nothing else runs. */
const LONGEST_READ = 8192;
const REDACTED = "[redacted]";

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

/**
 * Replaces long secrets and any beginning of them that is long enough to be recognised, in capitals or not. Where several begin alike, as the forms of
 * one do, the one that goes on longest decides: the rest of it would stay.
 */
function withoutLong(text: string, secrets: readonly string[]): string {
  const whole = folded(text);
  const byBeginning = Map.groupBy(secrets.map(folded), (secret) => secret.slice(0, RECOGNISABLE));
  let clean = "";
  let end = 0;
  for (let at = 0; at < whole.length; at += 1) {
    const begun = byBeginning.get(whole.slice(at, at + RECOGNISABLE));
    if (begun === undefined) continue;
    clean += text.slice(end, at) + REDACTED;
    end = at + begun.reduce((length, secret) => Math.max(length, alike(whole, at, secret)), RECOGNISABLE);
    at = end - 1;
  }
  return clean + text.slice(end);
}

/** How many characters of a secret stand there. */
function alike(text: string, at: number, secret: string): number {
  let length = 0;
  while (length < secret.length && text[at + length] === secret[length]) length += 1;
  return length;
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
  const sought = spellings(secrets, clean);
  clean = withoutLong(
    clean,
    sought.filter(({ length }) => length >= RECOGNISABLE),
  );
  for (const secret of sought) if (secret.length < RECOGNISABLE) clean = withoutShort(clean, secret);
  // what the cut left of a secret is too short to be recognised
  if (text.length > LONGEST_READ) clean = clean.slice(0, 1 - RECOGNISABLE);
  for (const id of ids) if (id.length >= SHORT) clean = clean.replaceAll(id, "");
  clean = clean.replaceAll(labelledId, "").replaceAll(isoTimestamp, "").replaceAll(control, " ");
  clean = clean.replaceAll(/ {2,}/g, " ").trim();
  const shown = clean.length <= LONGEST_MESSAGE ? clean : `${clean.slice(0, LONGEST_MESSAGE - 1)}…`;
  return shown.toWellFormed(); // a cut may have gone through a character
}
