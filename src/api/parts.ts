import { isRecord } from "../base/is-record.ts";
import { parseJson } from "./json.ts";

/**
 * What of a secret gives away what it is for by itself, as a server may quote it without the rest: credentials in URLs, in JSON, and in pairs of a key and a value.
 * Pure.
 */

/** A part of a secret. */
export interface Part {
  readonly text: string;
  /** known to be a credential by where it stands, so that its beginning gives it away, too; what else may be secret does as a whole alone */
  readonly isCredential: boolean;
}

/** Shorter ones, in characters, are found in other words. */
const SHORTEST_CREDENTIAL = 4;
const SHORTEST_OTHER = 8;
/** Pieces that other clients make of a password with signs that stand for something in a URL. */
const PIECES = /[@:/?#]/;
/** Forms within forms that are looked at. */
const DEEPEST = 4;

const URL_FORM = /^(?:jdbc:)?[a-z][a-z\d+.-]{0,30}:\/\/([^]*)$/i;
/** A key, and its value: in quotes, or up to a blank and up to what else may end it. */
const PAIR =
  /(?:^|[\s;,&?#])([\w.-]{1,64})[ \t]{0,8}=[ \t]{0,8}(?:'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"|(?=(\S{0,1024}))([^\s;,&#]*))/g;
/** Names of secret values; names of the addresses where those are asked for are left out. */
const CREDENTIAL_KEY =
  /^(?!.*(?:ur[il]|endpoint)$).*(?:pass|pwd|secret|token|key|signature|auth(?!or)|cred|jwt|bearer)/i;
/** Names of values that specs and messages show in the open. */
const OPEN_KEY = /host|server|addr|port$|user|^db|database|^ssl|scheme|region/i;
/** Words with few digits after them, as paths, names and hosts are made of: nothing that is drawn at random is written so. */
const NAME = /^(?:[A-Z]?[a-z]{0,14}\d{0,4}(?:[-_.]|$))*$/;
/** What messages say of other things, whatever has it for a password. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "admin anon authenticated database default development disable disabled enable enabled false guest http https localhost none null password " +
    "postgres postgresql prefer production public require required root secret service service_account service_role smtp test token true undefined user username"
  ).split(" "),
);

/** The parts of a secret that has one of those forms; none of any other. */
export function* partsOf(secret: string): Generator<Part, void> {
  const seen = new Set([secret]);
  for (const part of partsIn(secret.trim(), DEEPEST)) {
    const { text, isCredential } = part;
    const isLong = text.length >= (isCredential ? SHORTEST_CREDENTIAL : SHORTEST_OTHER);
    if (isLong && !seen.has(text) && !COMMON.has(text.toLowerCase())) yield part;
    if (isCredential) seen.add(text);
  }
}

/** Whether it has the form of a URL. */
export function isUrl(text: string): boolean {
  return URL_FORM.test(text);
}

function* partsIn(text: string, depth: number): Generator<Part, void> {
  if (depth === 0) return;
  const [, afterScheme] = URL_FORM.exec(text) ?? [];
  const json = /^[{[]/.test(text) ? parseJson(text) : undefined;
  if (afterScheme !== undefined) yield* inUrl(afterScheme);
  else if (json !== undefined) yield* inJson(json, depth);
  else if (text.includes("=")) yield* inPairs(text, depth);
}

/** Whatever comes before the last at sign is userinfo, as browsers have it, and also where a password has signs that would end it. */
function* inUrl(afterScheme: string): Generator<Part, void> {
  const [authority = ""] = /^[^/?#]*/.exec(afterScheme) ?? [];
  const at = (authority.includes("@") ? authority : afterScheme.replace(/\?[^]*/, "")).lastIndexOf("@");
  if (at !== -1) yield* inUserinfo(afterScheme.slice(0, at));
  const [, path = "", query = ""] = /^[^/?#]*([^?#]*)([^]*)$/.exec(afterScheme.slice(at + 1)) ?? [];
  for (const segment of path.split("/")) if (!NAME.test(segment)) yield* decoded(segment, false);
  for (const pair of query.split(/[?&#;]/)) yield* inQuery(pair);
}

function* inUserinfo(userinfo: string): Generator<Part, void> {
  const [, user = "", password = ""] = /^([^:]*):?([^]*)$/.exec(userinfo) ?? [];
  yield other(userinfo);
  if (!NAME.test(user)) yield* decoded(user, false);
  for (const piece of [password, ...password.split(PIECES)]) yield* decoded(piece, true);
}

function* inQuery(pair: string): Generator<Part, void> {
  const [, key = "", value = ""] = /^([^=]*)=([^]*)$/.exec(pair) ?? ["", "", pair];
  if (CREDENTIAL_KEY.test(key)) yield* decoded(value, true);
  else if (!OPEN_KEY.test(key) && !NAME.test(value)) yield* decoded(value, false);
}

/** Each string, by what the innermost member that it is in is called. */
function* inJson(json: unknown, depth: number): Generator<Part, void> {
  const left: { readonly key: string; readonly value: unknown }[] = [{ key: "", value: json }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { key, value } = next;
    if (typeof value === "string") yield* valueOf(key, value, depth);
    else if (Array.isArray(value)) for (const one of value) left.push({ key, value: one });
    else if (isRecord(value)) for (const name of Object.keys(value)) left.push({ key: name, value: value[name] });
  }
}

function* inPairs(text: string, depth: number): Generator<Part, void> {
  for (const [, key = "", single, double, upToBlank = "", bare = ""] of text.matchAll(PAIR)) {
    const quoted = single ?? double;
    yield* valueOf(key, quoted ?? bare, depth);
    if (quoted !== undefined) yield* valueOf(key, quoted.replaceAll(/\\([^])/g, "$1"), depth);
    else if (isUrl(upToBlank)) yield* partsIn(upToBlank, depth - 1);
    else if (upToBlank !== bare && !OPEN_KEY.test(key)) yield other(upToBlank);
  }
}

/** A value by its key, with its lines; of a URL its parts alone, as it may begin as one does that stands in the open. */
function* valueOf(key: string, value: string, depth: number): Generator<Part, void> {
  yield* partsIn(value, depth - 1);
  const isCredential = CREDENTIAL_KEY.test(key);
  if (isCredential && isUrl(value)) yield other(value);
  if (isUrl(value) || (!isCredential && OPEN_KEY.test(key))) return;
  for (const line of new Set([value, ...value.split(/[\r\n]+/)])) yield { text: line.trim(), isCredential };
}

function other(text: string): Part {
  return { text, isCredential: false };
}

/** A part of a URL, and what is escaped in it as what that stands for. */
function* decoded(text: string, isCredential: boolean): Generator<Part, void> {
  yield { text, isCredential };
  const plain = text.replaceAll("+", " ");
  for (const escaped of new Set([text, plain])) {
    const meant = unescaped(escaped);
    if (meant !== undefined && meant !== text) yield { text: meant, isCredential };
  }
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
