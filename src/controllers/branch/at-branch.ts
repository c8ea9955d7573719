import type { Branch } from "../../api/contract/branches.ts";
import type { AtRef } from "../requests/of-ref.ts";
import type { Recorded } from "../requests/request.ts";

/** A branch, as requests reach it. */
export interface AtBranch extends AtRef {
  /** ref of the project that the branch belongs to */
  readonly parentRef: string;
  readonly remote: Branch;
  /** All that was asked of branches of that project, but this. */
  otherWork(record: Recorded): readonly Recorded[];
  /** The branch now, read live; undefined where it is gone. */
  readBranch(): Promise<Branch | undefined>;
  /** Id of the default branch, which stands for the parent. */
  readDefaultId(): Promise<string | undefined>;
}
