import type { EdgeFunction } from "../../api/contract/functions.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { EdgeFunctionStatus } from "../../resources/edge-function/status.ts";
import { DOUBT_LOOK_MS, inDoubtForMs } from "../shared/create-once.ts";
import { waiting } from "../shared/failures.ts";
import {
  isEnvironmentChanging,
  isOutdated,
  outdatedBy,
  type Revision,
  revisionsAt,
  seenWith,
  type StandingRevision,
} from "../shared/revisions.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";
import { DEPLOY_DEADLINE_MS, holdMs, type Noticed, outcomeOf } from "./redeploy-rules.ts";

/**
 * Deployments for an environment that a Secret object with `redeployOnSecretChange` has changed: exactly one for each change, whatever is lost on the
 * way (ADR 19).
 */

/** What the cluster says of a function's environment. */
export interface EnvironmentLook {
  readonly standing: readonly StandingRevision[];
  /** as `SharedRead.mark`: a deployment is judged by a list of later than that */
  readonly after: number;
  /** whether something stands that the function was not deployed with */
  readonly outdated: boolean;
  /** how long a deployment that is due for it is put off, milliseconds */
  readonly heldMs: number;
}

/** Looks at what the cluster says of a function's environment, and remembers since when it is another one than the function was deployed with. */
export function noticeEnvironment(run: FunctionRun, context: FunctionContext): EnvironmentLook {
  const { environment, status } = run;
  const {
    object,
    list,
    memory: { noticed },
  } = context;
  const { uid } = object.metadata;
  const place = remotePlace(context);
  const standing = revisionsAt(environment, place);
  if (!isOutdated(status.current.environment, standing)) {
    noticed.delete(uid);
    return { standing, after: 0, outdated: false, heldMs: 0 };
  }
  const nowMs = environment.clock.monotonic();
  const named = JSON.stringify(standing.map((one) => [one.uid, one.revision]));
  const before = noticed.get(uid);
  const known: Noticed =
    before?.standing === named ? before : { atMs: before?.atMs ?? nowMs, standing: named, mark: list.mark() };
  noticed.set(uid, known);
  const changing = isEnvironmentChanging(environment, object, place);
  const heldMs = holdMs({ sinceMs: nowMs - known.atMs, changing });
  return { standing, after: heldMs > 0 ? 0 : known.mark, outdated: true, heldMs };
}

function remotePlace({ place: { ref, session } }: FunctionContext): { readonly ref: string; readonly server: string } {
  return { ref, server: session.server };
}

/** The record of a deployment whose result is not known yet, as the status carries it. */
type RecordedDeployment = NonNullable<DeepReadonly<EdgeFunctionStatus>["redeployment"]>;

/**
 * Finds out what became of a deployment that was recorded, and settles it in the status: it has come to pass, which is told, or it certainly came to
 * nothing. One that is in doubt stays recorded.
 */
export function settleRedeployment(
  run: FunctionRun,
  context: FunctionContext,
  { remote, standing }: { readonly remote: EdgeFunction | undefined; readonly standing: readonly StandingRevision[] },
): void {
  const { status } = run;
  const { redeployment, environment: seen } = status.current;
  if (redeployment === undefined) return;
  const outcome = outcomeOf(redeployment, remote, doubtMs(run, context, redeployment));
  if (outcome === "in doubt") return;
  if (outcome === "deployed" && remote !== undefined) {
    const { slug, memory, object } = context;
    memory.tellOnce(object.metadata.uid, remote.version, () => {
      const note = `found ${slug} deployed again as version ${remote.version} for its environment`;
      run.wrote("Redeployed", note, causesOf(seen, standing));
    });
    status.update({ environment: redeployment.environment });
  }
  status.update({ redeployment: undefined });
}

/** Whether a function is to be deployed again now for its environment; not while an earlier such deployment is in doubt. */
export function isRedeploymentDue(
  { status }: FunctionRun,
  { standing, heldMs }: EnvironmentLook,
  remote: EdgeFunction | undefined,
): boolean {
  const { redeployment, environment: seen } = status.current;
  return redeployment === undefined && heldMs === 0 && remote !== undefined && isOutdated(seen, standing);
}

/** Names the Secret objects for whose changes a function is deployed. */
export function causesOf(
  seen: readonly Revision[] | undefined,
  standing: readonly StandingRevision[],
): readonly string[] {
  return outdatedBy(seen, standing).map(({ name }) => `Secret ${name}`);
}

function doubtMs({ environment }: FunctionRun, { place }: FunctionContext, record: RecordedDeployment): number {
  const serverNow = place.session.client.serverNow() ?? environment.clock.now();
  return inDoubtForMs(record, DEPLOY_DEADLINE_MS, serverNow);
}

/** Ends a run that leaves a deployment in doubt. @throws WaitingError Deploying, while its effect may still arrive */
export function requireNoDoubt(run: FunctionRun, context: FunctionContext): void {
  const { redeployment } = run.status.current;
  if (redeployment === undefined) return;
  const remainingMs = Math.max(1, doubtMs(run, context, redeployment));
  throw waiting(
    "Deploying",
    "an earlier deployment got no answer; looking again before another one is sent",
    Math.min(remainingMs, DOUBT_LOOK_MS),
  );
}

/** What is recorded of a deployment for the environment that is about to be sent. */
export function redeploymentOf(
  run: FunctionRun,
  context: FunctionContext,
  { remote, standing }: { readonly remote: EdgeFunction; readonly standing: readonly StandingRevision[] },
): RecordedDeployment {
  const { environment, status } = run;
  const time = new Date(context.place.session.client.serverNow() ?? environment.clock.now()).toISOString();
  const seen = seenWith(environment, status.current.environment, standing);
  return { version: remote.version, time, ...(seen === undefined ? {} : { environment: seen }) };
}

/** What the function will have read once it is deployed now. */
export function environmentNow(run: FunctionRun, context: FunctionContext): readonly Revision[] | undefined {
  const { environment, status } = run;
  return seenWith(environment, status.current.environment, revisionsAt(environment, remotePlace(context)));
}
