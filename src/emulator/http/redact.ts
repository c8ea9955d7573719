import { authConfigRows } from "../../api/contract/auth-config-fields.ts";
import { withoutValues } from "./passwords/in-sql.ts";
import { mayTellPassword } from "./passwords/in-text.ts";
import { isNameOfSecret, namesPassword } from "./passwords/names.ts";

/** What the request log shows of a body: its shape and its harmless values. */

/** Names that sound like secrets and are none; the table of auth fields says which of them are: jwt_exp is not. */
const HARMLESS = new Set([
  "verify_jwt",
  "token_type",
  "kps_enabled",
  ...authConfigRows.flatMap(([name, field]) => (field.secret === true || field.untold === true ? [] : [name])),
]);
export const CENSOR = "[redacted]";
/** Longer texts are cut, so that the log stays small whatever is uploaded. */
const LONGEST = 2000;
/** No more than that of one body or query is shown, characters of names and texts, with so many for each value beside them. */
const LARGEST = 20_000;
const COST_OF_VALUE = 20;

/** Texts of a body by what its operation's schema says of them, wherever they stand. */
export interface KnownTexts {
  readonly secrets: readonly string[];
  readonly sql: readonly string[];
}

/** Copy of a JSON value in which the values under a sensitive key, at any depth, are replaced, as are secrets and what texts may tell of some. */
export function redact(value: unknown, known: Partial<KnownTexts> = {}): unknown {
  const secrets = new Set(known.secrets);
  const sql = new Set(known.sql);
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
      const fields = shown.map(([key, field]) => [shownText(key), copy(field, sensitive || isSensitive(key))] as const);
      return Object.fromEntries(more === 0 ? fields : [...fields, ["…", omitted(more)]]);
    }
    if (sensitive && inner !== null && inner !== undefined) return CENSOR;
    if (typeof inner === "number" && !Number.isFinite(inner)) return String(inner); // JSON, as which the log is kept, has none
    if (typeof inner !== "string") return inner;
    if (secrets.has(inner)) return CENSOR;
    return sql.has(inner) ? shownSql(inner) : shownText(inner);
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

/** @returns no half of a sign that takes two units */
function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/** What is decided by the names in a text is decided by all of it, as it came: neither its end nor what is hidden of it may have held one. */
export function shownText(text: string): string {
  return mayTellPassword(text) ? CENSOR : withoutSecretsOfUrls(shortened(text));
}

function shownSql(sql: string): string {
  return namesPassword(sql) ? shortened(withoutValues(sql, CENSOR)) : withoutSecretsOfUrls(shortened(sql));
}

/** What a text shows of the URLs in it, by itself, in a list or anywhere else: neither password nor query. */
function withoutSecretsOfUrls(text: string): string {
  const shown = text.replace(PASSWORD_WITHIN, HIDDEN).replace(OTHER_PASSWORD_WITHIN, HIDDEN);
  return URL_FIRST.test(text) ? eachWithoutSecrets(shown) : shown.replace(URL_WITHIN, eachWithoutSecrets);
}

function eachWithoutSecrets(urls: string): string {
  const parts = urls.split(NEXT_URL);
  return parts.map((url) => withoutQueryValues(withoutPassword(url, CENSOR))).join("");
}

const HIDDEN = `$1${CENSOR}$2`;
/** No beginning of a password: the quote behind it closes a string of JSON or of a list. */
const PORT = String.raw`\d{1,5}\\*["'](?:[\s,}\])]|$)`;
/** In any place: a blank ends each there, or the port. */
const URL_WITHIN = new RegExp(
  String.raw`(?:(?:https?|wss?|ftp):|[a-z][a-z0-9+.-]{0,30}:[\\/])(?:[\\/]*[^/\\?#@:\s"']*:(?=${PORT})\d+|\S*)`,
  "gi",
);
const PASSWORD_WITHIN = new RegExp(
  String.raw`((?:https?|wss?|ftp):[\\/\s]*[^/\\?#@:\s]*:)(?!@|${PORT})[^/\\?#\s]*(@|…$)`,
  "giu",
);
/** Of other schemes, in which a backslash is a sign like any, and of none. */
const OTHER_PASSWORD_WITHIN = new RegExp(
  String.raw`((?:[a-z][a-z0-9+.-]{0,30}:)?\/\/[^/?#@:\s]*:)(?!@|${PORT})[^/?#\s]*(@|…$)`,
  "giu",
);
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

/** Whether it has no host and an at sign: `user:password@host` is a URL to parsers, of the scheme `user:`. */
export function hasUserForScheme(url: string): boolean {
  return URL.parse(url)?.host === "" && url.includes("@");
}

/** A URL without the values of its query and fragment, which may be tokens as well, by themselves too. */
function withoutQueryValues(url: string): string {
  return url.replace(/[?#].*$/s, (query) =>
    query.replaceAll(/([?&#])(?:([^=&#]*=)[^&#]+|[^=&#]+(?=[&#]|$))/g, `$1$2${CENSOR}`),
  );
}

/** Whether a field of this name may hold a secret. */
export function isSensitive(key: string): boolean {
  return !HARMLESS.has(key) && isNameOfSecret(key);
}
