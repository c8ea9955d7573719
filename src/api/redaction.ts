import { placesOf } from "./places.ts";

/** Longest message that is shown (engine.md §7). */
const LONGEST_MESSAGE = 256;
/** As much of a message is looked at: patterns over megabytes of a server's choice would take hours, in which nothing else runs. */
const LONGEST_READ = 8192;
/** As much of a message may be what the cut left of a secret: seven bytes, which are not recognised, in the longest form, as `&#x000022;` is of a quote. */
const LONGEST_LEFT = 7 * 10;
/** Ids that are shorter may be any word. */
const SHORT_ID = 4;
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
  /** what the request itself names, as its project: that is no secret where others hold it */
  readonly names?: readonly string[];
}

/** Takes out secrets; a text that holds so many that to find them all would take long is not shown at all. */
function withoutSecrets(text: string, { secrets, names = [] }: Sensitive): string {
  const places = placesOf({ secrets, names }, text);
  if (places === "too many") return REDACTED;
  let clean = "";
  let end = 0;
  for (const place of places) {
    clean += text.slice(end, place.start) + REDACTED;
    end = place.end;
  }
  return clean + text.slice(end);
}

/**
 * A server's message as it may be shown and kept: without secrets, request ids, timestamps and control characters, at most 256
 * characters. Text that changes by itself would make a status write of every retry (engine.md §7, style.md "Errors").
 */
export function cleanMessage(text: string, sensitive: Sensitive): string {
  if (text === "") return "";
  let clean = withoutSecrets(text.slice(0, LONGEST_READ), sensitive);
  // what the cut left of a secret is too short to be recognised
  if (text.length > LONGEST_READ) clean = clean.slice(0, -LONGEST_LEFT);
  for (const id of sensitive.ids) if (id.length >= SHORT_ID) clean = clean.replaceAll(id, "");
  clean = clean.replaceAll(labelledId, "").replaceAll(isoTimestamp, "").replaceAll(control, " ");
  clean = clean.replaceAll(/ {2,}/g, " ").trim();
  const shown = clean.length <= LONGEST_MESSAGE ? clean : `${clean.slice(0, LONGEST_MESSAGE - 1)}…`;
  return shown.toWellFormed(); // a cut may have gone through a character
}
