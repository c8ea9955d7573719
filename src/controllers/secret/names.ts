import { createHash } from "node:crypto";
import { SECRET_NAME_MAX, SECRET_VALUE_MAX } from "../../api/contract/secrets.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { type SecretSpec, variableName } from "../../resources/secret/spec.ts";
import { textOf } from "../shared/core-objects.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { terminal, waitingForObject } from "../shared/failures.ts";

/** An environment secret as declared. The value is used for the request and for nothing else. */
export interface WantedSecret {
  readonly name: string;
  readonly value: string;
  /** lower-case hex SHA-256 of the value, as the platform shows it (facts.md §2) */
  readonly digest: string;
}

type SecretEntry = DeepReadonly<SecretSpec>["from"][number];
type Loaded = Pick<CoreSecret, "data">;

/** Where a name comes from, for people. */
interface Origin {
  readonly secret: string;
  readonly key: string;
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The most that one object sets: far above what the platform keeps for a project, and below what a status can list. */
const MOST_NAMES = 500;
/** How many problems a message names. */
const SHOWN = 5;

/** As the platform shows a value. */
export function digestOf(value: string): string {
  return createHash("sha256").update(value, "utf8").digest("hex");
}

/**
 * The environment secrets that the entries give, by name.
 *
 * @param loaded the Kubernetes Secrets by name
 * @param reservedPrefix names that begin so belong to the platform; case-sensitive (facts.md §2)
 * @throws WaitingError ReferenceNotFound: a Secret or key is not there; TerminalError InvalidSpec naming Secret and key, never a value
 */
export function wantedSecrets(
  from: readonly SecretEntry[],
  loaded: ReadonlyMap<string, Loaded>,
  reservedPrefix: string,
): readonly WantedSecret[] {
  const problems: string[] = [];
  const wanted = new Map<string, WantedSecret & { readonly origin: Origin }>();
  for (const { name, bytes, origin } of from.flatMap((entry) => [...named(entry, loaded)])) {
    const other = wanted.get(name)?.origin;
    const value = textOf(bytes);
    const problem =
      problemOfName(name, reservedPrefix) ??
      problemOfValue(value) ??
      (other === undefined ? undefined : `gives the name ${name}, as ${where(other)} does`);
    if (problem !== undefined) problems.push(`${where(origin)} ${problem}`);
    else if (value !== undefined) wanted.set(name, { name, value, digest: digestOf(value), origin });
  }
  if (wanted.size > MOST_NAMES) problems.push(`more than ${MOST_NAMES} names are given: use several objects`);
  if (problems.length > 0) throw terminal("InvalidSpec", `spec.from: ${shown(problems)}`);
  return [...wanted.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function shown(problems: readonly string[]): string {
  const more = problems.length - SHOWN;
  return problems.slice(0, SHOWN).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

function where({ secret, key }: Origin): string {
  return `the key ${key} of the Secret ${secret}`;
}

function* named(
  entry: SecretEntry,
  loaded: ReadonlyMap<string, Loaded>,
): Generator<{ readonly name: string; readonly bytes: Buffer; readonly origin: Origin }> {
  const { name: secret } = entry.secretRef;
  const data = loaded.get(secret)?.data;
  if (data === undefined) throw waitingForObject("ReferenceNotFound", `there is no Secret ${secret} in this namespace`);
  const mappings: NonNullable<SecretEntry["keys"]> = entry.keys ?? Object.keys(data).map((key) => ({ key }));
  for (const mapping of mappings) {
    const { key } = mapping;
    const bytes = data[key];
    if (bytes === undefined) throw waitingForObject("ReferenceNotFound", `the Secret ${secret} has no key ${key}`);
    yield { name: variableName(entry, mapping), bytes, origin: { secret, key } };
  }
}

function problemOfName(name: string, reservedPrefix: string): string | undefined {
  if (!VARIABLE.test(name)) {
    return `gives ${JSON.stringify(name)}, which is no name of an environment variable: list the keys, and set as for this one`;
  }
  if (name.length > SECRET_NAME_MAX) {
    return `gives a name of more than ${SECRET_NAME_MAX} characters: list the keys, and set a shorter one with as`;
  }
  if (reservedPrefix !== "" && name.startsWith(reservedPrefix)) {
    return `gives the name ${name}, and names that begin with ${reservedPrefix} belong to the platform: set another one with as`;
  }
  return undefined;
}

function problemOfValue(value: string | undefined): string | undefined {
  if (value === undefined) return "holds bytes that are no UTF-8 text: encode the value, for example as base64";
  return value.length > SECRET_VALUE_MAX
    ? `holds a value of more than ${SECRET_VALUE_MAX} characters, the most that the platform takes`
    : undefined;
}

/** The names that the manifest alone tells: those of entries that list their keys. */
export function declaredNames(from: readonly SecretEntry[]): readonly string[] {
  return from.flatMap((entry) => (entry.keys ?? []).map((mapping) => variableName(entry, mapping)));
}
