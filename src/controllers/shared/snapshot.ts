import type { Branch } from "../../api/contract/branches.ts";
import type { EdgeFunction } from "../../api/contract/functions.ts";
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

function snapshotOf(client: ApiClient, ref: string, clock: Clock): ProjectSnapshot {
  return {
    functions: new SharedRead(clock, (lane) => client.functions.list({ ref }, { lane })),
    secrets: new SharedRead(clock, (lane) => client.secrets.list({ ref }, { lane })),
    branches: new SharedRead(clock, (lane) => listBranches(client, ref, lane)),
  };
}

/** The snapshots of every project, one per client: two credentials may see different things. Let go with their client. */
export class ProjectSnapshots {
  readonly #clock: Clock;
  readonly #byClient = new WeakMap<ApiClient, Map<string, ProjectSnapshot>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(client: ApiClient, ref: string): ProjectSnapshot {
    let byRef = this.#byClient.get(client);
    if (byRef === undefined) {
      byRef = new Map();
      this.#byClient.set(client, byRef);
    }
    let snapshot = byRef.get(ref);
    if (snapshot === undefined) {
      snapshot = snapshotOf(client, ref, this.#clock);
      byRef.set(ref, snapshot);
    }
    return snapshot;
  }
}
