import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { BranchRecord, BranchStatus } from "./branch-state.ts";
import { standstill } from "./runs.ts";

/** What a new branch is made of, by a request or a seed. */
export interface NewBranch {
  readonly name: string;
  readonly parentRef: string;
  /** of its environment: of the default branch the parent itself, otherwise of a project that is stored already */
  readonly projectRef: string;
  readonly databasePassword: string;
  readonly isDefault: boolean;
  readonly gitBranch?: string | undefined;
  readonly notifyUrl?: string | undefined;
  /** default: the default branch alone is */
  readonly persistent?: boolean | undefined;
  readonly withData?: boolean | undefined;
  /** in which it stays until a run begins */
  readonly status: BranchStatus;
}

/** Stores a branch as it is at its very beginning. */
export function storeBranch(world: World, { status, ...wanted }: NewBranch): BranchRecord {
  const nowMs = world.clock.now();
  const branch: BranchRecord = {
    ...wanted,
    id: newId(),
    persistent: wanted.persistent ?? wanted.isDefault,
    withData: wanted.withData ?? false,
    ...standstill(world, status),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  world.branches.set(branch.id, branch);
  return branch;
}
