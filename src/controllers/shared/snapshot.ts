import type { Branch } from "../../api/contract/branches.ts";
import type { EdgeFunction } from "../../api/contract/functions.ts";
import type { RemoteSecret } from "../../api/contract/secrets.ts";
import type { ApiClient } from "../../api/client.ts";
import type { Clock } from "../../base/clock.ts";
import { SharedRead } from "./shared-read.ts";

/** The lists of one project (or branch), each read once and shared by all objects that live in it (engine.md §3). */
export interface ProjectSnapshot {
  readonly functions: SharedRead<readonly EdgeFunction[]>;
  readonly secrets: SharedRead<readonly RemoteSecret[]>;
  readonly branches: SharedRead<readonly Branch[]>;
}

/** Oldest list that a change may be decided on, milliseconds (engine.md §3: "at most 10 s of age"). */
export const CHANGE_MAX_AGE_MS = 10_000;

function snapshotOf(client: ApiClient, ref: string, clock: Clock): ProjectSnapshot {
  return {
    functions: new SharedRead(clock, (lane) => client.functions.list({ ref }, { lane })),
    secrets: new SharedRead(clock, (lane) => client.secrets.list({ ref }, { lane })),
    branches: new SharedRead(clock, (lane) => client.branches.list({ ref }, { lane })),
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
