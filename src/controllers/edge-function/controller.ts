import type { ApiLane } from "../../api/lanes.ts";
import { isApiError } from "../../api/errors.ts";
import { finalizers } from "../../resources/annotations.ts";
import { keyToString } from "../../runtime/key.ts";
import { baseLevel } from "../../runtime/lane.ts";
import type { Result } from "../../runtime/outcome.ts";
import type { EnqueueOptions, Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { waiting, waitingUntold } from "../shared/failures.ts";
import { childGroups } from "../shared/parents.ts";
import { objectReconciler } from "../shared/pipeline.ts";
import type { FunctionRun, InTurn } from "./context.ts";
import { type Comer, DeployLine } from "./deploy-line.ts";
import { finalizeFunction } from "./finalize.ts";
import { FunctionMemory } from "./memory.ts";
import { beginVisit, type FunctionParts, reconcileFunction } from "./reconcile.ts";

/**
 * src/controllers/edge-function: deploys an EdgeFunction's source and keeps its settings, one deployment of a project at a time. Environment
 * secrets of functions are the kind Secret's.
 */

/** The net below being woken for one's turn, milliseconds. */
const TURN_LOOK_MS = 60_000;

/** The reconciler of EdgeFunction. */
export function edgeFunctionReconciler(environment: Environment): Reconciler {
  const store = environment.objects.functions;
  const line = new DeployLine(environment.clock);
  const memory = new FunctionMemory(environment.clock);
  return objectReconciler(environment, {
    store,
    finalizer: finalizers.remote,
    groupOf: childGroups(environment, store),
    reconcile: (run, object) =>
      visiting(run, line, (inTurn) =>
        reconcileFunction(run, object, {
          inTurn,
          isCrowded: (ref) => line.isCrowded(ref),
          memory,
          wake: () => wakerOf(run)(0),
        }),
      ),
    finalize: async (run, object, unread) => {
      line.leave(keyToString(run.key));
      beginVisit(memory, run.raw);
      await finalizeFunction(run, object, unread);
      memory.forget(run.raw.metadata.uid);
    },
    forget: (key) => {
      line.leave(keyToString(key));
      memory.keepOnly(() => store.reader.list().map(({ metadata: { uid } }) => uid));
    },
  });
}

/** One run, which takes its turn in the line where it has something to deploy; one that does not wait for it when it ends has left the line. */
async function visiting(
  run: FunctionRun,
  line: DeployLine,
  work: (inTurn: FunctionParts["inTurn"]) => Promise<Result>,
): Promise<Result> {
  const visit = { waits: false };
  const inTurn =
    (ref: string, mark: () => number): InTurn =>
    async (deploy) => {
      const turn = await line.enter({ ...comerOf(run, ref), mark: mark() }, deploy, sharedPauseMs);
      if (turn.taken) return turn.value;
      visit.waits = true;
      const message = "waits for its turn: deployments of one project go one at a time";
      throw turn.again ? waiting("Deploying", message, TURN_LOOK_MS) : waitingUntold("Deploying", message);
    };
  try {
    return await work(inTurn);
  } finally {
    if (!visit.waits) line.leave(keyToString(run.key));
  }
}

function comerOf(run: FunctionRun, place: string): Omit<Comer, "mark"> {
  const { lane, wasReady = false } = queueLane(run.lane);
  return { id: keyToString(run.key), place, level: baseLevel(lane, wasReady), wake: wakerOf(run) };
}

function wakerOf({ environment, key, lane }: FunctionRun): (afterMs: number) => void {
  return (afterMs) => environment.enqueue(key, { ...queueLane(lane), afterMs });
}

/** The lane in which a run that was turned away comes back: the one that it came in. */
function queueLane(lane: ApiLane): Pick<EnqueueOptions, "lane" | "wasReady"> {
  switch (lane) {
    case "change":
      return { lane, wasReady: true };
    case "sync":
      return { lane: "change" };
    case "progress":
    case "drift":
      return { lane };
    default:
      return lane satisfies never;
  }
}

/** A spent budget is everybody's: nobody else needs to try before there is one again. */
function sharedPauseMs(error: unknown): number {
  return isApiError(error, "BUDGET") ? error.retryAfterMs : 0;
}
