import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import type { Branch } from "../../api/contract/branches.ts";
import type { AtRef } from "../requests/of-ref.ts";
import type { Recorded } from "../requests/request.ts";
import type { Sought } from "../shared/sought.ts";

/** The action runs of a project and its branches, which outlive the branch that they are of. */
export interface AtRuns {
  readonly client: ApiClient;
  readonly call: CallOptions;
  /** ref of the project that the branch belongs to */
  readonly parentRef: string;
  /** of the branch; undefined where nothing tells which it was */
  readonly branchId: string | undefined;
  /** the platform's clock, milliseconds since the epoch */
  readonly nowMs: number;
  /** All that was asked of branches of that project, but this. */
  otherWork(record: Recorded): readonly Recorded[];
  /** Id of the default branch, which stands for the parent. */
  readDefaultId(): Promise<string | undefined>;
  /** Notes that a look did not find it. @returns whether it is believed to be gone, of which there is no way back (absences.ts) */
  noteMissed(sought: Sought): "gone" | "perhaps";
  /** Notes that a look found it. */
  noteFound(sought: Sought): void;
}

/** A branch, as requests reach it. */
export interface AtBranch extends AtRef, AtRuns {
  readonly remote: Branch;
  /** The branch now, read live; undefined where it is gone. @throws as `requireAbsence` until that is believed */
  readBranch(): Promise<Branch | undefined>;
}
