import { asError } from "../../base/error-facts.ts";
import { REVEAL_PERMISSION } from "../../api/contract/api-keys.ts";
import { isApiError } from "../../api/errors.ts";
import type { OutputVariable } from "../../resources/outputs/variables.ts";
import { isReconcileError } from "../shared/attempt.ts";
import { explain } from "../shared/failures.ts";
import type { Run } from "../shared/run.ts";
import type { Session } from "../shared/sessions.ts";
import { acceptableAgeMs, CHANGE_MAX_AGE_MS } from "../shared/snapshot.ts";
import type { CommonStatus } from "../shared/status-draft.ts";
import { awaited, known, type Finding, withheld } from "./looked.ts";
import { type Login, type OutputFacts, valueOf } from "./values.ts";

/** Reads what the wanted variables need, and nothing else: the API keys and the pooler once per project (engine.md §3). */

/** What outputs tell of. */
export interface OutputPlace {
  readonly session: Session;
  /** of the project or branch */
  readonly ref: string;
  /** when the platform made that, as it says */
  readonly createdAt: string;
  /** host name of its database */
  readonly host: Finding<string>;
  /** how to log in to its database; called where that is wanted, once. What is read of the platform may be `maxAgeMs` old */
  readonly login: (needs: { readonly password: boolean; readonly maxAgeMs: number }) => Promise<Finding<Login>>;
  /** milliseconds between two drift checks of the object; undefined where drift is not looked for */
  readonly driftIntervalMs: number | undefined;
  /** it is up and unwell: that is awaited, which Ready tells of, and polled for */
  readonly isUnwell: boolean;
}

/** What is looked at for a variable; texts without one in common do not change together. */
export type OutputSource = "host" | ApiKeyVariable | "login" | "password" | "poolers";

/** Variables that are an API key: each is rotated, and masked, by itself. */
const apiKeyVariables = ["anon-key", "publishable-key", "service-key"] as const satisfies readonly OutputVariable[];
type ApiKeyVariable = (typeof apiKeyVariables)[number];

const NEEDS: Readonly<Record<OutputVariable, readonly OutputSource[]>> = {
  ref: [],
  url: ["host"],
  "anon-key": ["anon-key"],
  "publishable-key": ["publishable-key"],
  "service-key": ["service-key"],
  host: ["host"],
  port: ["login"],
  database: [],
  username: ["login"],
  password: ["login", "password"],
  uri: ["host", "login", "password"],
  "pooler-host": ["poolers"],
  "pooler-username": ["poolers"],
  "pooler-transaction-port": ["poolers"],
  "pooler-session-port": ["poolers"],
  "pooler-transaction-uri": ["poolers", "login", "password"],
  "pooler-session-uri": ["poolers", "login", "password"],
};

/** What variables are made of, the ref aside. */
export function sourcesOf(variables: Iterable<OutputVariable>): ReadonlySet<OutputSource> {
  return new Set([...variables].flatMap((name) => NEEDS[name]));
}

/** Nobody asks for what stands for this, or it could not be read. */
const UNREAD = withheld("UnexpectedError", "not read");

/** What the API hides from the token is no failure: the rest goes on, and the outputs say which permission would show it. */
async function unlessForbidden<T>(doing: string, permission: string, read: () => Promise<T>): Promise<Finding<T>> {
  try {
    return known(await read());
  } catch (error) {
    if (!isApiError(error, "FORBIDDEN")) throw explain(error, doing);
    return withheld("Forbidden", `could not ${doing}: give the token the permission ${permission}`);
  }
}

/** What was read, and why no more was: of what failed and, of what is well, all after it nothing is known. */
interface ReadFacts {
  readonly facts: OutputFacts;
  /** as `explain`; otherwise than for want of a permission */
  readonly failure: Error | undefined;
}

/** Oldest list that a poll of what is unwell takes where drift is not looked for, milliseconds: no longer is anything remembered that nobody asks for. */
const UNLOOKED_MS = 86_400_000;

/** Whether what is unwell is only polled for its health: its keys and poolers are looked at as those of what is Ready. */
function isHealthPoll<Status extends CommonStatus>({ lane }: Run<Status>, { isUnwell }: OutputPlace): boolean {
  return isUnwell && (lane === "progress" || lane === "drift");
}

/** Oldest list that is good enough, milliseconds. */
function maxAgeOf<Status extends CommonStatus>(run: Run<Status>, place: OutputPlace): number {
  const { lane, status } = run;
  const { driftIntervalMs } = place;
  if (isHealthPoll(run, place)) return driftIntervalMs ?? UNLOOKED_MS;
  return acceptableAgeMs({ lane, driftIntervalMs, ready: status.condition("Ready")?.status === "True" });
}

/** Whether an answer that was read lacks what comes by itself. What could not be read, and what no list tells, says nothing of their age. */
function lacksAwaited({ ref, login, keys, poolers }: OutputFacts, wanted: ReadonlySet<OutputVariable>): boolean {
  const answered = <T>(looked: Finding<T>): Finding<T> => (looked.kind === "known" ? looked : UNREAD);
  const facts = { ref, host: UNREAD, login: answered(login), keys: answered(keys), poolers: answered(poolers) };
  return [...wanted].some((variable) => valueOf(variable, facts).kind === "awaited");
}

interface FactNeed<T> {
  readonly isNeeded: boolean;
  /** what this run read of it already */
  readonly before: Finding<T> | undefined;
}

/** Reads one fact after the other. */
class FactReads {
  /** why the first one was not read that was not */
  failure: Error | undefined;
  readonly #isUnwell: boolean;

  constructor({ isUnwell }: Pick<OutputPlace, "isUnwell">) {
    this.#isUnwell = isUnwell;
  }

  async get<T>({ isNeeded, before }: FactNeed<T>, read: () => Promise<Finding<T>>): Promise<Finding<T>> {
    // What could not be read is not asked for twice.
    if (before !== undefined && before.kind !== "known") return before;
    if (!isNeeded || (this.failure !== undefined && !this.#isUnwell)) return UNREAD;
    try {
      return await read();
    } catch (error) {
      const found = asError(error);
      this.failure ??= found;
      if (before !== undefined) return before;
      return this.#isUnwell ? awaited(isReconcileError(found) ? found.message : "not read yet") : UNREAD;
    }
  }
}

/** The facts behind the wanted variables. */
export async function readFacts<Status extends CommonStatus>(
  run: Run<Status>,
  place: OutputPlace,
  wanted: ReadonlySet<OutputVariable>,
): Promise<ReadFacts> {
  const { session, ref, host, login } = place;
  const needed = sourcesOf(wanted);
  const { revealedKeys, poolers } = run.environment.snapshots.of(session.client, ref);
  const reads = new FactReads(place);
  const readAt = async (maxAgeMs: number, before?: OutputFacts): Promise<OutputFacts> => ({
    ref,
    host,
    login: await reads.get(
      { isNeeded: needed.has("login"), before: before?.login },
      // But for polls it is read live: who sets a password elsewhere is not noticed otherwise.
      () => login({ password: needed.has("password"), maxAgeMs: isHealthPoll(run, place) ? maxAgeMs : 0 }),
    ),
    keys: await reads.get({ isNeeded: apiKeyVariables.some((name) => needed.has(name)), before: before?.keys }, () =>
      unlessForbidden("reveal the API keys", REVEAL_PERMISSION, () => revealedKeys.get(maxAgeMs, run.call)),
    ),
    poolers: await reads.get({ isNeeded: needed.has("poolers"), before: before?.poolers }, () =>
      unlessForbidden("read the pooler", "database_pooling_config_read", () => poolers.get(maxAgeMs, run.call)),
    ),
  });
  const found = await readAt(maxAgeOf(run, place));
  // What is awaited may have come since a list was read that is old enough for the rest: a new output waits for it.
  const again = isHealthPoll(run, place) && lacksAwaited(found, wanted);
  const facts = again ? await readAt(CHANGE_MAX_AGE_MS, found) : found;
  return { facts, failure: reads.failure };
}
