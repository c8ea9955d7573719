import type { DeepReadonly } from "../../resources/kind.ts";
import type { EdgeFunctionStatus } from "../../resources/edge-function/status.ts";
import type { FunctionObject } from "../environment.ts";
import type { ParentPlace } from "../shared/parents.ts";
import type { EffectivePolicies } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";
import type { ProjectSnapshot } from "../shared/snapshot.ts";
import type { FunctionMemory } from "./memory.ts";
import type { UpdateOutcome } from "./wish.ts";

/** A run of an EdgeFunction. */
export type FunctionRun = Run<DeepReadonly<EdgeFunctionStatus>>;

/**
 * Does the work when no other deployment of the project is under way.
 *
 * @param work is told when this object came for its turn, as a mark of the list
 * @throws WaitingError Deploying while one is: its end wakes this object, and no worker is held meanwhile
 */
export type InTurn = <T>(work: (cameAt: number) => Promise<T>) => Promise<T>;

/** What the steps of one run share. */
export interface FunctionContext {
  readonly object: FunctionObject;
  readonly place: ParentPlace;
  readonly policies: EffectivePolicies;
  /** last part of the function's URL, and its name among the functions of its place */
  readonly slug: string;
  /** the functions of the place, as last read or written */
  readonly list: ProjectSnapshot["functions"];
  readonly inTurn: InTurn;
  /** whether others wait for their turn */
  readonly isCrowded: () => boolean;
  readonly memory: FunctionMemory;
  /** what became of an update that waited for those of others */
  readonly visit: { readonly due: boolean; readonly outcome: UpdateOutcome | undefined };
  /** asks for another run */
  readonly wake: () => void;
}
