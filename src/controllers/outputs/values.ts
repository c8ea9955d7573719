import { type ApiKey, REVEAL_PERMISSION } from "../../api/contract/api-keys.ts";
import type { PoolerConfig } from "../../api/contract/pooler.ts";
import type { OutputVariable } from "../../resources/outputs/variables.ts";
import { awaited, following, known, type Finding, withheld } from "./looked.ts";

/** What each variable of an output is worth, from what was read. Pure. */

/** How a program logs in to a database. */
export interface Login {
  readonly port: number;
  readonly username: string;
  readonly password: Finding<string>;
}

/** What was read for the variables that are wanted; the rest stays unread. */
export interface OutputFacts {
  /** of the project or branch */
  readonly ref: string;
  /** host name of its database */
  readonly host: Finding<string>;
  readonly login: Finding<Login>;
  readonly keys: Finding<readonly ApiKey[]>;
  readonly poolers: Finding<readonly PoolerConfig[]>;
}

/** Name of the database of every project: the one that the pooler serves, too. */
const DATABASE = "postgres";

const TEXTS: Readonly<Record<OutputVariable, (facts: OutputFacts) => Finding<string>>> = {
  ref: ({ ref }) => known(ref),
  url: ({ ref, host }) => following(host, (name) => urlOf(ref, name)),
  "anon-key": ({ keys }) =>
    following(keys, (list) => keyText(legacyKey(list, "anon") ?? newKey(list, "publishable"), "anon-key")),
  "publishable-key": ({ keys }) => following(keys, (list) => keyText(newKey(list, "publishable"), "publishable-key")),
  "service-key": ({ keys }) =>
    following(keys, (list) => keyText(legacyKey(list, "service_role") ?? newKey(list, "secret"), "service-key")),
  host: ({ host }) => host,
  port: ({ login }) => following(login, ({ port }) => known(String(port))),
  database: () => known(DATABASE),
  username: ({ login }) => following(login, ({ username }) => known(username)),
  password: ({ login }) => following(login, ({ password }) => password),
  uri: directUri,
  "pooler-host": ({ poolers }) => following(poolerOf(poolers), ({ db_host: name }) => known(name)),
  "pooler-username": ({ poolers }) => following(poolerOf(poolers), ({ db_user: name }) => known(name)),
  "pooler-transaction-port": ({ poolers }) => following(poolers, (list) => portOf(list, "transaction")),
  "pooler-session-port": ({ poolers }) => following(poolers, (list) => portOf(list, "session")),
  "pooler-transaction-uri": (facts) => poolerUri(facts, "transaction"),
  "pooler-session-uri": (facts) => poolerUri(facts, "session"),
};

/** The text of a variable. */
export function valueOf(variable: OutputVariable, facts: OutputFacts): Finding<string> {
  return TEXTS[variable](facts);
}

/** The project's own APIs are beside its database, which is at `db.<ref>.<host>` (facts.md §4). */
function urlOf(ref: string, host: string): Finding<string> {
  const beside = `db.${ref}.`;
  if (!host.startsWith(beside)) {
    return withheld("ValueNotOffered", `the database is at ${host}, which does not tell the URL of the APIs`);
  }
  return known(`https://${host.slice("db.".length)}`);
}

function legacyKey(keys: readonly ApiKey[], name: "anon" | "service_role"): ApiKey | undefined {
  return keys.find((key) => key.name === name && (key.type ?? "legacy") === "legacy");
}

/** The one from the project's start, else the first by name: of several, always the same. */
function newKey(keys: readonly ApiKey[], type: "publishable" | "secret"): ApiKey | undefined {
  const found = keys.filter((key) => key.type === type).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return found.find(({ name }) => name === "default") ?? found[0];
}

/** The characters of an API key: a text with any other one is a mask. */
const WHOLE_KEY = /^[\w.-]+$/u;

function keyText(key: ApiKey | undefined, variable: OutputVariable): Finding<string> {
  if (key === undefined) return awaited(`the platform has no ${variable} yet`);
  const { api_key: text } = key;
  if (typeof text === "string" && WHOLE_KEY.test(text)) return known(text);
  return withheld("Forbidden", `the platform shows the API keys masked: the token needs ${REVEAL_PERMISSION}`);
}

type Mode = "transaction" | "session";

/** Where the pooler serves a mode unless it says otherwise: 6543 (facts.md §4), and session mode on the port of databases themselves. */
const USUAL_PORTS: Readonly<Record<Mode, number>> = { transaction: 6543, session: 5432 };

/** The databases that an output tells of: no replicas. */
export function primaries(poolers: readonly PoolerConfig[]): readonly PoolerConfig[] {
  return poolers.filter(({ database_type: type }) => type === "PRIMARY");
}

function poolerOf(poolers: Finding<readonly PoolerConfig[]>): Finding<PoolerConfig> {
  return following(poolers, (list) => {
    const [pooler] = primaries(list);
    return pooler === undefined ? awaited("the platform has no pooler yet") : known(pooler);
  });
}

/** Session mode is served beside transaction mode; a port that was set to session mode serves that alone. */
function portOf(poolers: readonly PoolerConfig[], mode: Mode): Finding<string> {
  const own = primaries(poolers);
  if (own.length === 0) return awaited("the platform has no pooler yet");
  const port = own.find(({ pool_mode: served }) => served === mode)?.db_port ?? USUAL_PORTS[mode];
  const other = own.find(({ db_port: taken, pool_mode: served }) => taken === port && served !== mode);
  if (other === undefined) return known(String(port));
  return withheld("ValueNotOffered", `the pooler serves ${other.pool_mode} mode at port ${port}`);
}

interface DatabaseLogin {
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly port: string;
  readonly database: string;
}

/** All that RFC 3986 does not leave unreserved: a quote, say, ends a text in a shell or a file of variables. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function uriOf({ username, password, host, port, database }: DatabaseLogin): string {
  return `postgresql://${percentEncoded(username)}:${percentEncoded(password)}@${host}:${port}/${percentEncoded(database)}`;
}

function directUri({ host: looked, login }: OutputFacts): Finding<string> {
  return following(looked, (host) =>
    following(login, ({ username, port, password }) =>
      following(password, (text) =>
        known(uriOf({ username, password: text, host, port: String(port), database: DATABASE })),
      ),
    ),
  );
}

function poolerUri({ login, poolers }: OutputFacts, mode: Mode): Finding<string> {
  return following(poolerOf(poolers), ({ db_user: username, db_host: host, db_name: database }) =>
    following(poolers, (list) =>
      following(portOf(list, mode), (port) =>
        following(login, (how) =>
          following(how.password, (password) => known(uriOf({ username, password, host, port, database }))),
        ),
      ),
    ),
  );
}
