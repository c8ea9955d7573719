import { isRecord } from "../base/is-record.ts";
import { parseJson } from "./json.ts";

/**
 * What of a secret gives away what it is for by itself, as a server may quote it without the rest: credentials in URLs, in JSON, and in pairs of a key and
 * a value; and what of a URL is no secret. Pure.
 */

/** A part of a secret. */
export interface Part {
  readonly text: string;
  /** known to be one by where it stands */
  readonly isCredential: boolean;
  /** so many characters of its beginning do not give it away: none, or all */
  readonly open: number;
}

/** Shorter ones, in characters, are found in other words. */
const SHORTEST_CREDENTIAL = 4;
const SHORTEST_OTHER = 8;
/** Pieces that other clients make of a password with signs that stand for something in a URL. */
const PIECES = /[@:/?#]/;
/** Forms within forms that are looked at. */
const DEEPEST = 4;

const URL_FORM = /^((?:jdbc:)?[a-z][a-z\d+.-]{0,30}:\/\/)([^]*)$/i;
const QUERY_PAIRS = /[?&#;]/;
const LAST_WORD = /(?<![^/?#&;=])[^/?#&;=]*[/?#&;=]*$/;
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
const NAME_BEGINNING = /^(?:[A-Z]?[a-z]{0,14}\d{0,4}[-_.])*[A-Z]?[a-z]{0,14}\d{0,4}/;
/** So many characters of a word begin other words, too. */
const SHARED_BY_WORDS = 4;
/** What messages say of other things, whatever has it for a password. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "admin anon authenticated database default development disable disabled enable enabled false guest http https localhost none null " +
    "password postgres postgresql prefer production public require required root secret service service_account service_role smtp test token true " +
    "undefined user username"
  ).split(" "),
);

/** What addresses of any service are made of; another word in one may be the secret. */
const ADDRESS_WORDS: ReadonlySet<string> = new Set(
  (
    "accounts authorize callback channels client clients configuration confirm events functions graphql health hooks incoming index ingest integrations " +
    "known login logout messages metadata notifications oauth oauth2 openid organizations projects realtime services signin signout status storage teams " +
    "tenant tenants users webhook webhooks workflows"
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

/** Whether specs and messages show the values of that name. */
export function isOpenKey(key: string): boolean {
  return OPEN_KEY.test(key) && !CREDENTIAL_KEY.test(key);
}

/**
 * So many characters of a secret's beginning stand in the open: what other URLs begin with, up to where one may have a secret, which any word of an address may
 * be that is not one of all addresses; and at most up to its last one. 0 for what is no URL.
 */
export function openOf(text: string): number {
  const url = urlIn(text.trim());
  if (url === undefined) return 0;
  const userinfo = text.indexOf(url.scheme) + url.scheme.length;
  const { user, password } = userinfoIn(url.userinfo);
  const openUser = password === undefined ? openOfWord(user) : openOfName(user);
  if (openUser < user.length) return userinfo + openUser;
  if (password !== undefined) return userinfo + user.length + ":".length;
  const end = text.trimEnd().length;
  return Math.min(end, end - (url.host + url.path + url.query).length + openOfAddress(url));
}

/** From the host on: up to what may be drawn at random, a word that may be one's own, or a credential. */
function openOfAddress({ host, path, query }: Url): number {
  let at = 0;
  for (const label of labelsOf(host)) {
    if (openOfName(label) < label.length) return at;
    at += label.length + ".".length;
  }
  at = host.length;
  for (const segment of path.split("/")) {
    const open = openOfWord(segment);
    if (open < segment.length) return at + open;
    at += segment.length + "/".length;
  }
  at = host.length + path.length;
  for (const pair of query.split(QUERY_PAIRS)) {
    const { value, open } = queryIn(pair);
    if (open < value.length) return at + pair.length - value.length + open;
    at += pair.length + "&".length;
  }
  return host.length + (path + query).replace(LAST_WORD, "").length + SHARED_BY_WORDS;
}

/** All of what nothing that is drawn at random is written like, or nothing. */
function openOfName(text: string): number {
  return NAME.test(text) ? text.length : 0;
}

/** The same where a word that somebody thought of may be the secret: of that only what other words begin with. */
function openOfWord(text: string): number {
  const own = text.split(/[-_.]/).filter((word) => !ADDRESS_WORDS.has(word) && !COMMON.has(word));
  return own.join("").length <= SHARED_BY_WORDS ? openOfName(text) : Math.min(SHARED_BY_WORDS, openOfName(text));
}

/** Of a host, without its port. */
function labelsOf(host: string): readonly string[] {
  return host.replace(/:\d*$/, "").split(".");
}

function* partsIn(text: string, depth: number): Generator<Part, void> {
  if (depth === 0) return;
  const url = urlIn(text);
  const json = /^[{[]/.test(text) ? parseJson(text) : undefined;
  if (url !== undefined) yield* inUrl(url);
  else if (json !== undefined) yield* inJson(json, depth);
  else if (text.includes("=")) yield* inPairs(text, depth);
}

interface Url {
  readonly scheme: string;
  readonly userinfo: string | undefined;
  /** with its port */
  readonly host: string;
  readonly path: string;
  /** and the fragment */
  readonly query: string;
}

/** Whatever comes before the last at sign is userinfo, as browsers have it, and also where a password has signs that would end it. */
function urlIn(text: string): Url | undefined {
  const [, scheme = "", afterScheme = ""] = URL_FORM.exec(text) ?? [];
  if (scheme === "") return undefined;
  const [authority = ""] = /^[^/?#]*/.exec(afterScheme) ?? [];
  const at = (authority.includes("@") ? authority : afterScheme.replace(/\?[^]*/, "")).lastIndexOf("@");
  const [, host = "", path = "", query = ""] = /^([^/?#]*)([^?#]*)([^]*)$/.exec(afterScheme.slice(at + 1)) ?? [];
  return { scheme, userinfo: at === -1 ? undefined : afterScheme.slice(0, at), host, path, query };
}

function* inUrl({ userinfo, host, path, query }: Url): Generator<Part, void> {
  if (userinfo !== undefined) yield* inUserinfo(userinfo);
  // Beside a user it is where that is let in.
  else for (const label of labelsOf(host)) if (!NAME.test(label)) yield drawn(label);
  for (const segment of path.split("/")) if (!NAME.test(segment)) yield* decoded(segment, drawn);
  for (const pair of query.split(QUERY_PAIRS)) {
    const { value, isCredential, open } = queryIn(pair);
    if (isCredential) yield* decoded(value, credential);
    else if (open === 0) yield* decoded(value, drawn);
  }
}

function* inUserinfo(userinfo: string): Generator<Part, void> {
  const { user, password = "" } = userinfoIn(userinfo);
  yield other(userinfo);
  if (!NAME.test(user)) yield* decoded(user, drawn);
  for (const piece of [password, ...password.split(PIECES)]) yield* decoded(piece, credential);
}

function userinfoIn(userinfo = ""): { readonly user: string; readonly password: string | undefined } {
  const [, user = "", password] = /^([^:]*)(?::([^]*))?$/.exec(userinfo) ?? [];
  return { user, password };
}

/** A value of a query: one that is neither a credential nor in the open may be drawn at random. */
function queryIn(pair: string): { readonly value: string; readonly isCredential: boolean; readonly open: number } {
  const [, key = "", value = ""] = /^([^=]*)=([^]*)$/.exec(pair) ?? ["", "", pair];
  if (CREDENTIAL_KEY.test(key)) return { value, isCredential: true, open: 0 };
  return { value, isCredential: false, open: OPEN_KEY.test(key) ? value.length : openOfWord(value) };
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
  if (isUrl(value) || isOpenKey(key)) return;
  const part = isCredential ? credential : other;
  for (const line of new Set([value, ...value.split(/[\r\n]+/)])) yield part(line.trim());
}

function credential(text: string): Part {
  return { text, isCredential: true, open: 0 };
}

/** What may be drawn at random: there its beginning gives it away, too, unless that is of words. */
function drawn(text: string): Part {
  const [words = ""] = NAME_BEGINNING.exec(text) ?? [];
  return { text, isCredential: false, open: words.length < SHORTEST_OTHER ? 0 : text.length };
}

function other(text: string): Part {
  return { text, isCredential: false, open: text.length };
}

/** A part of a URL, and what is escaped in it as what that stands for. */
function* decoded(text: string, part: (text: string) => Part): Generator<Part, void> {
  yield part(text);
  const plain = text.replaceAll("+", " ");
  for (const escaped of new Set([text, plain])) {
    const meant = unescaped(escaped);
    if (meant !== undefined && meant !== text) yield part(meant);
  }
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
