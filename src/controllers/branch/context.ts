import type { DeepReadonly } from "../../resources/kind.ts";
import type { BranchStatus } from "../../resources/branch/status.ts";
import type { BranchObject } from "../environment.ts";
import type { KeyedMutex } from "../shared/keyed-mutex.ts";
import type { ParentPlace } from "../shared/parents.ts";
import type { EffectivePolicies } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";

/** A run of a Branch. */
export type BranchRun = Run<DeepReadonly<BranchStatus>>;

/** What the steps of one run share. */
export interface BranchContext {
  readonly object: BranchObject;
  readonly place: ParentPlace;
  readonly policies: EffectivePolicies;
  /** the declared name */
  readonly name: string;
  /** one run at a time decides whether a project needs its default branch; by ref of the project */
  readonly defaultBranch: KeyedMutex;
}
