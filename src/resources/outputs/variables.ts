/**
 * What a connection output can tell of a project or branch: the names that `keys` of a spec select, and that `$(name)` in a value stands for.
 * Lower case with '-', as the well-known keys of Service Binding are.
 */

interface Variable {
  /** opens something, or holds what does: for a Secret alone */
  readonly secret: boolean;
  readonly means: string;
}

const table = {
  ref: { secret: false, means: "the ref" },
  url: { secret: false, means: "URL of the project's own APIs" },
  "anon-key": { secret: true, means: "the anon key, or the publishable key where there is none" },
  "publishable-key": { secret: true, means: "the publishable key" },
  "service-key": { secret: true, means: "the service_role key, or a secret key where there is none" },
  host: { secret: false, means: "host of the database" },
  port: { secret: false, means: "its port" },
  database: { secret: false, means: "name of the database" },
  username: { secret: false, means: "its user" },
  password: { secret: true, means: "the user's password" },
  uri: { secret: true, means: "all of these as a URI" },
  "pooler-host": { secret: false, means: "host of the pooler" },
  "pooler-username": { secret: false, means: "the user as the pooler knows it" },
  "pooler-transaction-port": { secret: false, means: "its port in transaction mode" },
  "pooler-session-port": { secret: false, means: "its port in session mode" },
  "pooler-transaction-uri": { secret: true, means: "URI of the pooler in transaction mode" },
  "pooler-session-uri": { secret: true, means: "URI of the pooler in session mode" },
} as const satisfies Readonly<Record<string, Variable>>;

export type OutputVariable = keyof typeof table;

/** Every variable, in the order in which they are shown. */
// Object.keys forgets which keys it was given; they are those of `table` by construction.
const everyVariable = Object.keys(table) as readonly OutputVariable[];

/** Variables that a Secret may hold: all. */
export const secretVariables = everyVariable;
/** Variables that a ConfigMap may hold: those that open nothing. A publishable key is no secret to browsers, and opens what policies allow all the same. */
export const configMapVariables = everyVariable.filter((name) => !table[name].secret);

/** What needs a leave of its own: it passes by every policy of the project's rows. */
export const serviceKeyVariable: OutputVariable = "service-key";

/** What a Secret without `keys` holds, beside the service key where it is allowed: the well-known entries of Service Binding, then the project's own. */
export const usualSecretVariables: readonly OutputVariable[] = [
  "host",
  "port",
  "database",
  "username",
  "password",
  "uri",
  "url",
  "anon-key",
  "pooler-transaction-uri",
  "pooler-session-uri",
];

/** `url: URL of the project's own APIs; …`, for descriptions. */
export function explainVariables(names: readonly OutputVariable[]): string {
  return names.map((name) => `${name} (${table[name].means})`).join(", ");
}

/** Whether a word is a variable's name. */
export function isOutputVariable(word: string): word is OutputVariable {
  return Object.hasOwn(table, word);
}
