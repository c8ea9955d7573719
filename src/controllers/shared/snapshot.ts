import type { ApiKey } from "../../api/contract/api-keys.ts";
import type { Branch, BranchConfig } from "../../api/contract/branches.ts";
import type { EdgeFunction } from "../../api/contract/functions.ts";
import type { PoolerConfig } from "../../api/contract/pooler.ts";
import type { RemoteSecret } from "../../api/contract/secrets.ts";
import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import { isApiError } from "../../api/errors.ts";
import type { Clock } from "../../base/clock.ts";
import type { ApiLane } from "../../api/lanes.ts";
import { SharedRead } from "./shared-read.ts";

/** The lists of one project (or branch), each read once and shared by all objects that live in it (engine.md §3). */
export interface ProjectSnapshot {
  readonly functions: SharedRead<readonly EdgeFunction[]>;
  readonly secrets: SharedRead<readonly RemoteSecret[]>;
  readonly branches: SharedRead<readonly Branch[]>;
  /** with their values, which the token may lack the right to see: kept in memory alone, as every list is, and shown nowhere */
  readonly revealedKeys: SharedRead<readonly ApiKey[]>;
  readonly poolers: SharedRead<readonly PoolerConfig[]>;
  /** how one logs in to the branch that has the ref, as its own path tells it: got by `ProjectSnapshots.branchConfig` */
  readonly branchConfig: SharedRead<BranchConfig>;
}

type ListName = keyof ProjectSnapshot;

/** One of the lists of a place. */
export interface PlaceList {
  readonly client: ApiClient;
  /** of the project or branch */
  readonly ref: string;
  readonly list: ListName;
}

/** A branch, and the project that it is of. */
interface BranchPlace {
  readonly ref: string;
  readonly parentRef: string;
}

/** Oldest list that a change may be decided on, milliseconds (engine.md §3: "at most 10 s of age"). */
export const CHANGE_MAX_AGE_MS = 10_000;
/** Oldest list that something under way is judged by, milliseconds: the shortest time between two polls (polling.ts). */
const PROGRESS_MAX_AGE_MS = 2000;

/** Why a list is wanted. */
interface ReadFor {
  readonly lane: ApiLane;
  /** milliseconds between two drift checks of the object; undefined where drift is not looked for */
  readonly driftIntervalMs: number | undefined;
  /** whether the object was Ready: only then is the look a drift check; else it waits for something to change, whatever the lane */
  readonly ready: boolean;
}

/** How old a shared list may be for a run, milliseconds (engine.md §3). */
export function acceptableAgeMs({ lane, driftIntervalMs = CHANGE_MAX_AGE_MS, ready }: ReadFor): number {
  switch (lane) {
    case "change":
    case "sync":
      return CHANGE_MAX_AGE_MS;
    case "progress":
      return PROGRESS_MAX_AGE_MS;
    case "drift":
      return ready ? driftIntervalMs : PROGRESS_MAX_AGE_MS;
    default:
      return lane satisfies never;
  }
}

/** The branches of a project; where branching is off an older platform answers 422 instead of an empty list (facts.md §5). */
export async function listBranches(client: ApiClient, ref: string, call: CallOptions): Promise<readonly Branch[]> {
  try {
    return await client.branches.list({ ref }, call);
  } catch (error) {
    if (isApiError(error, "UNPROCESSABLE")) return [];
    throw error;
  }
}

interface SnapshotOptions {
  readonly clock: Clock;
  readonly since: number;
  /** of the project that a branch is of, where that was told */
  readonly parentRef: () => string | undefined;
  /** told of each list that was read */
  readonly answered: (list: ListName) => void;
}

function snapshotOf(
  client: ApiClient,
  ref: string,
  { clock, since, parentRef, answered }: SnapshotOptions,
): ProjectSnapshot {
  const shared = <T>(name: ListName, list: (lane: ApiLane) => Promise<T>): SharedRead<T> => {
    const read = async (lane: ApiLane): Promise<T> => {
      const value = await list(lane);
      answered(name);
      return value;
    };
    return new SharedRead(clock, read, since);
  };
  return {
    functions: shared("functions", (lane) => client.functions.list({ ref }, { lane })),
    secrets: shared("secrets", (lane) => client.secrets.list({ ref }, { lane })),
    branches: shared("branches", (lane) => listBranches(client, ref, { lane })),
    revealedKeys: shared("revealedKeys", (lane) => client.apiKeys.list({ ref, reveal: true }, { lane })),
    poolers: shared("poolers", (lane) => client.pooler.get({ ref }, { lane })),
    branchConfig: shared("branchConfig", (lane) =>
      client.branches.get({ branch_id_or_ref: ref }, { lane, parentRef: parentRef() ?? ref }),
    ),
  };
}

function listsOf({ functions, secrets, branches, revealedKeys, poolers, branchConfig }: ProjectSnapshot) {
  return [functions, secrets, branches, revealedKeys, poolers, branchConfig] as const;
}

/** Milliseconds without use after which a snapshot may go: longer than any run that may hold it, which must not write beside a newer one. */
const LEAST_MEMORY_MS = 600_000;

interface KeptSnapshot {
  readonly snapshot: ProjectSnapshot;
  parentRef: string | undefined;
  usedAtMs: number;
  /** by list: how often the platform has said that it does not know the place, since that very list was read last, and when it did last */
  readonly gone: Map<ListName, { readonly times: number; readonly atMs: number }>;
}

/**
 * The snapshots of every project, one per client: two credentials may see different things. One that nobody has used for longer than anybody
 * would accept its lists is let go, with whatever was the reason: the project, its objects or the client are no more.
 */
export class ProjectSnapshots {
  readonly #clock: Clock;
  readonly #byClient = new Map<ApiClient, Map<string, KeptSnapshot>>();
  /** a mark that is newer than all of those that went: who holds one of them must not wait for it (shared-read.ts) */
  #newestMark = 0;
  #sweeping = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many are kept. */
  get size(): number {
    return this.#byClient.values().reduce((sum, byRef) => sum + byRef.size, 0);
  }

  of(client: ApiClient, ref: string): ProjectSnapshot {
    return this.#kept(client, ref).snapshot;
  }

  /** How one logs in to a branch of a project. */
  branchConfig(client: ApiClient, { ref, parentRef }: BranchPlace): SharedRead<BranchConfig> {
    const kept = this.#kept(client, ref);
    kept.parentRef = parentRef;
    return kept.snapshot.branchConfig;
  }

  /** How often the platform has said that it does not know the place, since that list of it was read last. */
  timesGone({ client, ref, list }: PlaceList): number {
    return this.#kept(client, ref).gone.get(list)?.times ?? 0;
  }

  /** When the platform said last that it does not know the place, monotonic milliseconds; undefined where that list of it was read since. */
  goneAtMs({ client, ref, list }: PlaceList): number | undefined {
    return this.#kept(client, ref).gone.get(list)?.atMs;
  }

  /**
   * Whether the platform said more than once that it does not know the place, and less than `maxAgeMs` ago: who asks for the same list again is told the
   * same. Once may be a mistake, and one list may go on being answered so while the others are not: neither is to be told to all who live there.
   */
  isGone({ client, ref, list }: PlaceList, maxAgeMs: number): boolean {
    const { times, atMs } = this.#kept(client, ref).gone.get(list) ?? { times: 0, atMs: 0 };
    return times > 1 && this.#clock.monotonic() - atMs < maxAgeMs;
  }

  /**
   * The platform does not know the place: where that is news, nothing that was read of it holds any more.
   *
   * @param known `timesGone` when it was asked: one answer may be told to many who asked together
   * @returns whether that is news: what the same list was answered before is none
   */
  gone({ client, ref, list }: PlaceList, known: number): boolean {
    const { snapshot, gone } = this.#kept(client, ref);
    const times = gone.get(list)?.times ?? 0;
    if (times !== known) return false;
    gone.set(list, { times: times + 1, atMs: this.#clock.monotonic() });
    if (times > 0) return false;
    for (const read of listsOf(snapshot)) read.wrote();
    return true;
  }

  #kept(client: ApiClient, ref: string): KeptSnapshot {
    const byRef = this.#byClient.get(client) ?? new Map<string, KeptSnapshot>();
    this.#byClient.set(client, byRef);
    const kept = byRef.get(ref) ?? this.#begin(client, ref);
    kept.usedAtMs = this.#clock.monotonic();
    byRef.set(ref, kept);
    this.#sweepLater();
    return kept;
  }

  #begin(client: ApiClient, ref: string): KeptSnapshot {
    const gone: KeptSnapshot["gone"] = new Map();
    const answered = (list: ListName): void => void gone.delete(list);
    const parentRef = (): string | undefined => kept.parentRef;
    const snapshot = snapshotOf(client, ref, { clock: this.#clock, since: this.#newestMark, parentRef, answered });
    const kept: KeptSnapshot = { snapshot, parentRef: undefined, usedAtMs: 0, gone };
    return kept;
  }

  #forgetUnused(): void {
    const nowMs = this.#clock.monotonic();
    for (const [client, byRef] of this.#byClient) {
      for (const [ref, { snapshot, usedAtMs }] of byRef) {
        const reads = listsOf(snapshot);
        const memoryMs = Math.max(LEAST_MEMORY_MS, ...reads.map(({ longestAgeMs }) => longestAgeMs));
        if (nowMs - usedAtMs < memoryMs) continue;
        byRef.delete(ref);
        this.#newestMark = Math.max(this.#newestMark, ...reads.map((read) => read.mark()));
      }
      if (byRef.size === 0) this.#byClient.delete(client);
    }
    this.#sweeping = false;
    if (this.#byClient.size > 0) this.#sweepLater();
  }

  #sweepLater(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    this.#clock.setTimer(LEAST_MEMORY_MS, () => this.#forgetUnused());
  }
}
