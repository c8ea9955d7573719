import type { EdgeFunction } from "../../api/contract/functions.ts";
import type { EdgeFunctionStatus } from "../../resources/edge-function/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { kubeTime } from "../shared/conditions.ts";

type Facts = Pick<DeepReadonly<EdgeFunctionStatus>, "id" | "version" | "state" | "deployedAt">;

/** The platform's facts as the status shows them. Pure. */
export function factsOf(remote: EdgeFunction): Facts {
  const { id, version, status: state, updated_at: updatedAt } = remote;
  return { id, version, state, deployedAt: momentOf(updatedAt) };
}

/** What is shown where there is no function. */
export const noFacts: Facts = { id: undefined, version: undefined, state: undefined, deployedAt: undefined };

/** The platform's milliseconds as a moment of a status; undefined where it told none, or none that is a time. */
function momentOf(ms: number | undefined): string | undefined {
  if (ms === undefined || !(Math.abs(ms) <= 8.64e15)) return undefined;
  return kubeTime(ms);
}
