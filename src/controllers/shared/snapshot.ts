import type { ApiKey } from "../../api/contract/api-keys.ts";
import type { Branch } from "../../api/contract/branches.ts";
import type { EdgeFunction } from "../../api/contract/functions.ts";
import type { PoolerConfig } from "../../api/contract/pooler.ts";
import type { RemoteSecret } from "../../api/contract/secrets.ts";
import type { ApiClient } from "../../api/client.ts";
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
async function listBranches(client: ApiClient, ref: string, lane: ApiLane): Promise<readonly Branch[]> {
  try {
    return await client.branches.list({ ref }, { lane });
  } catch (error) {
    if (isApiError(error, "UNPROCESSABLE")) return [];
    throw error;
  }
}

function snapshotOf(
  client: ApiClient,
  ref: string,
  { clock, since }: { clock: Clock; since: number },
): ProjectSnapshot {
  return {
    functions: new SharedRead(clock, (lane) => client.functions.list({ ref }, { lane }), since),
    secrets: new SharedRead(clock, (lane) => client.secrets.list({ ref }, { lane }), since),
    branches: new SharedRead(clock, (lane) => listBranches(client, ref, lane), since),
    revealedKeys: new SharedRead(clock, (lane) => client.apiKeys.list({ ref, reveal: true }, { lane }), since),
    poolers: new SharedRead(clock, (lane) => client.pooler.get({ ref }, { lane }), since),
  };
}

/** Milliseconds without use after which a snapshot may go: longer than any run that may hold it, which must not write beside a newer one. */
const LEAST_MEMORY_MS = 600_000;

interface Kept {
  readonly snapshot: ProjectSnapshot;
  usedAtMs: number;
}

/**
 * The snapshots of every project, one per client: two credentials may see different things. One that nobody has used for longer than anybody
 * would accept its lists is let go, with whatever was the reason: the project, its objects or the client are no more.
 */
export class ProjectSnapshots {
  readonly #clock: Clock;
  readonly #byClient = new Map<ApiClient, Map<string, Kept>>();
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
    const byRef = this.#byClient.get(client) ?? new Map<string, Kept>();
    this.#byClient.set(client, byRef);
    const usedAtMs = this.#clock.monotonic();
    const kept = byRef.get(ref) ?? {
      snapshot: snapshotOf(client, ref, { clock: this.#clock, since: this.#newestMark }),
      usedAtMs,
    };
    kept.usedAtMs = usedAtMs;
    byRef.set(ref, kept);
    this.#sweepLater();
    return kept.snapshot;
  }

  #forgetUnused(): void {
    const nowMs = this.#clock.monotonic();
    for (const [client, byRef] of this.#byClient) {
      for (const [ref, { snapshot, usedAtMs }] of byRef) {
        const { functions, secrets, branches, revealedKeys, poolers } = snapshot;
        const reads = [functions, secrets, branches, revealedKeys, poolers];
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
