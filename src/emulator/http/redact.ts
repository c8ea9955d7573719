import { authConfigRows } from "../../api/contract/auth-config-fields.ts";
import { withoutPasswords } from "./passwords/in-text.ts";

/** What the request log shows of a body: its shape and its harmless values. */

const SENSITIVE =
  /pass|secret|token|credential|private|jwt|authorization|assertion|verifier|^code$|^value$|^body$|_key$|^key$/i;
/** Names that sound like secrets and are none; the table of auth fields says which of them are: jwt_exp is not. */
const HARMLESS = new Set([
  "verify_jwt",
  "token_type",
  "kps_enabled",
  ...authConfigRows.flatMap(([name, field]) => (field.secret === true ? [] : [name])),
]);
export const CENSOR = "[redacted]";
/** Longer texts are cut, so that the log stays small whatever is uploaded. */
const LONGEST = 2000;
/** No more than that of one body or query is shown, characters of names and texts, with so many for each value beside them. */
const LARGEST = 20_000;
const COST_OF_VALUE = 20;

/**
 * Copy of a JSON value in which strings and numbers under a sensitive key, at any depth, are replaced.
 *
 * @param secrets texts that are replaced wherever they stand: what the operation's schema marks as secret
 */
export function redact(value: unknown, secrets: readonly string[] = []): unknown {
  const hidden = new Set(secrets);
  let left = LARGEST;
  const few = <T>(
    items: readonly T[],
    take: (item: T) => number,
  ): { readonly shown: readonly T[]; readonly more: number } => {
    const end = items.findIndex((item) => {
      if (left <= 0) return true;
      left -= COST_OF_VALUE + take(item);
      return false;
    });
    return { shown: end === -1 ? items : items.slice(0, end), more: end === -1 ? 0 : items.length - end };
  };
  const copy = (inner: unknown, sensitive: boolean): unknown => {
    if (Array.isArray(inner)) {
      const { shown, more } = few<unknown>(inner, sizeOf);
      const items = shown.map((item) => copy(item, sensitive));
      return more === 0 ? items : [...items, omitted(more)];
    }
    if (typeof inner === "object" && inner !== null) {
      const { shown, more } = few(Object.entries(inner), ([key, field]) => sizeOf(key) + sizeOf(field));
      const fields = shown.map(([key, field]) => [shortened(key), copy(field, sensitive || isSensitive(key))] as const);
      return Object.fromEntries(more === 0 ? fields : [...fields, ["…", omitted(more)]]);
    }
    if (typeof inner === "string" && (sensitive || hidden.has(inner))) return CENSOR;
    if (typeof inner === "string") return withoutSecrets(shortened(inner));
    return sensitive && typeof inner === "number" ? CENSOR : inner;
  };
  return copy(value, false);
}

/** What a value takes by itself. */
function sizeOf(value: unknown): number {
  return typeof value === "string" ? Math.min(value.length, LONGEST) : 0;
}

/** Stands in the place of what is too much to be shown. */
export function omitted(count: number): string {
  return `… ${count} more`;
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** What a text shows: of the URLs in it, by itself, in a list or anywhere else, neither password nor query; no password that is named so. */
function withoutSecrets(text: string): string {
  const shown = text.replace(PASSWORD_WITHIN, HIDDEN).replace(OTHER_PASSWORD_WITHIN, HIDDEN);
  const quiet = withoutPasswords(shown, CENSOR);
  return URL_FIRST.test(text) ? eachWithoutSecrets(quiet) : quiet.replace(URL_WITHIN, eachWithoutSecrets);
}

function eachWithoutSecrets(urls: string): string {
  const parts = urls.split(NEXT_URL);
  return parts.map((url) => withoutQueryValues(withoutPassword(url, CENSOR))).join("");
}

const HIDDEN = `$1${CENSOR}$2`;
/** In any place: a blank ends each there. */
const URL_WITHIN = /(?:(?:https?|wss?|ftp):|[a-z][a-z0-9+.-]{0,30}:[\\/])\S*/gi;
const PASSWORD_WITHIN = /((?:https?|wss?|ftp):[\\/\s]*[^/\\?#@:\s]*:)(?!@)[^/\\?#\s]*(@|…$)/giu;
/** Of other schemes, in which a backslash is a sign like any. */
const OTHER_PASSWORD_WITHIN = /([a-z][a-z0-9+.-]{0,30}:\/\/[^/?#@:\s]*:)(?!@)[^/?#\s]*(@|…$)/giu;
/** Blanks, tabs and slashes that parsers of URLs leave out or add are no reason to show what is in one. */
const URL_FIRST = /^[\s\p{Cc}]*(?:(?:https?|wss?|ftp):|[a-z][a-z0-9+.\t\r\n-]*:[\\/])/iu;
const NEXT_URL = /((?<![,\s])[,\s]+(?=(?:https?|wss?|ftp):|[a-z][a-z0-9+.\t\r\n-]*:[\\/]))/i;
/** A text that was cut may have lost what ends the password. */
const PASSWORD = /^([\s\p{Cc}]*[a-z][a-z0-9+.\t\r\n-]*:[\\/\s]*(?:[^/\\?#@:\s][^/\\?#@:]*)?:)(?!@)[^/\\?#]*(@|…$)/iu;

/** A URL without the password in it, which no field's name tells of; any other text as it is. @param censor stands in its place */
export function withoutPassword(text: string, censor: string): string {
  const shown = text.replace(PASSWORD, `$1${censor}$2`);
  const url = URL.parse(shown);
  if (url === null || url.password === "") return shown;
  const { password } = url;
  url.password = censor;
  return url.password === password ? shown : url.href; // where parsers still find another one, their way to write the URL
}

/** A URL without the values of its query and fragment, which may be tokens as well, by themselves too. */
function withoutQueryValues(url: string): string {
  return url.replace(/[?#].*$/s, (query) =>
    query.replaceAll(/([?&#])(?:([^=&#]*=)[^&#]+|[^=&#]+(?=[&#]|$))/g, `$1$2${CENSOR}`),
  );
}

/** Whether a field of this name may hold a secret. */
export function isSensitive(key: string): boolean {
  return !HARMLESS.has(key) && SENSITIVE.test(key);
}
