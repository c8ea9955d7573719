import type { EdgeFunction } from "../../api/contract/functions.ts";
import type { Result } from "../../runtime/outcome.ts";
import type { FunctionObject } from "../environment.ts";
import { ownsInPlace } from "../shared/child-identity.ts";
import { requireClaim } from "../shared/claims.ts";
import { observeDrift } from "../shared/drift.ts";
import { terminal, waiting, waitingUntold } from "../shared/failures.ts";
import { parentPlace } from "../shared/parents.ts";
import { nextDriftCheck, policiesOf } from "../shared/policies.ts";
import { summarizeObserved, summarizeReady } from "../shared/ready.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { applyFunction, recallRefusal } from "./apply.ts";
import { createFunction, keepingClaim } from "./claim.ts";
import { claimants, slugOf } from "./claimants.ts";
import type { FunctionContext, FunctionRun, InTurn } from "./context.ts";
import { listedFunction } from "./observe.ts";
import { planFunction, type WantedFunction } from "./plan.ts";
import {
  environmentNow,
  isRedeploymentDue,
  noticeEnvironment,
  requireNoDoubt,
  settleRedeployment,
} from "./redeploy.ts";
import type { DeploySource } from "./complete-source.ts";
import { tellUpdated } from "./settings-wish.ts";
import { resolveSource } from "./source.ts";
import { factsOf, noFacts } from "./status.ts";

/** How often a function that the platform holds back is looked at, milliseconds. */
const THROTTLED_LOOK_MS = 60_000;
/** How often a function that is to be observed is looked for, milliseconds. */
const ABSENT_LOOK_MS = 300_000;

/** What the runs of all functions share. */
export interface FunctionParts {
  readonly inTurn: (ref: string, mark: () => number) => InTurn;
  readonly isCrowded: (ref: string) => boolean;
  readonly memory: FunctionContext["memory"];
  readonly wake: FunctionContext["wake"];
}

/** The steps of an EdgeFunction, in order: place, policies, claim, look, source, deploy or set, status. */
export async function reconcileFunction(
  run: FunctionRun,
  object: FunctionObject,
  { inTurn, isCrowded, memory, wake }: FunctionParts,
): Promise<Result> {
  const { environment, key } = run;
  const { spec } = object;
  const place = parentPlace(environment, key.namespace, spec);
  const policies = policiesOf(environment, place.session, spec);
  run.status.update({ effective: policies });
  const list = environment.snapshots.of(place.session.client, place.ref).functions;
  const slug = slugOf(object);
  const context: FunctionContext = {
    object,
    place,
    policies,
    slug,
    list,
    inTurn: inTurn(place.ref, () => list.mark()),
    isCrowded: () => isCrowded(place.ref),
    memory,
    visit: beginVisit(memory, object),
    wake,
  };
  tellUpdated(run, context);
  if (policies.managementPolicy.value === "Observe") return observeOnly(run, context);
  const owned = ownsInPlace(object, place, environment.cluster);
  const { account, server } = place.session;
  const here = { ref: place.ref, account, server };
  requireClaim(object, claimants(environment, slug, here), `the function ${slug} of ${place.ref}`);
  // A record that was not made for this object says nothing of what the function has read: it begins with what stands.
  const own = object.status.recordedFor === object.metadata.uid;
  if (owned && !own) run.status.update({ environment: environmentNow(run, context), redeployment: undefined });
  const step = await want(run, context);
  const { found, held } = await bringInLine(run, context, { ...step, owned });
  // Not before it is in force: a start would take an edit for carried out whose deployment failed.
  run.status.update(step.source.origin);
  if (object.status.sourceHash === step.source.hash) run.status.leaveVersion("source", "resourceVersion");
  const result = settle(run, context, found);
  // Looked at anew: the environment may have changed while the function was deployed, and what this run was held for may be due by now.
  const { heldMs, outdated } = noticeEnvironment(run, context);
  const again = heldMs > 0 || (held && outdated);
  return again ? { requeueAfterMs: Math.max(1, heldMs), lane: "progress" } : result;
}

/** @throws WaitingError while another run writes settings for this object too, which wakes it then */
export function beginVisit(
  { gathering, unseen }: FunctionContext["memory"],
  { metadata: { uid } }: Pick<FunctionObject, "metadata">,
): FunctionContext["visit"] {
  const visit = gathering.begin(uid);
  if (visit.kind === "under way") {
    throw waitingUntold("Updating", "its settings are being changed with those of others");
  }
  if (visit.outcome?.kind === "updated") unseen.set(uid, visit.outcome.mark);
  return visit;
}

interface WantedDeploy {
  readonly wanted: WantedFunction;
  readonly source: DeploySource;
}

/** What the object declares, with its source. */
async function want(run: FunctionRun, { object }: FunctionContext): Promise<WantedDeploy> {
  const { name, entrypoint, verifyJwt } = object.spec;
  const source = await resolveSource(run, object);
  const { hash: sourceHash, importMap, paths } = source;
  return { source, wanted: { name, entrypoint, importMap, verifyJwt, sourceHash, paths } };
}

interface InLine {
  /** the function as it is then; undefined where it is missing and left so */
  readonly found: EdgeFunction | undefined;
  /** a deployment for its environment was put off */
  readonly held: boolean;
}

/** Deploys and sets what differs. */
async function bringInLine(
  run: FunctionRun,
  context: FunctionContext,
  { owned, ...step }: WantedDeploy & { readonly owned: boolean },
): Promise<InLine> {
  const { place, slug } = context;
  const identity = { ref: place.ref, id: slug };
  if (owned) {
    const look = noticeEnvironment(run, context);
    const remote = await listedFunction(run, context, look.after);
    settleRedeployment(run, context, { remote, standing: look.standing });
    const redeployFor = isRedeploymentDue(run, look, remote) ? look.standing : undefined;
    // A claim that has nothing to show yet may come to nothing.
    if (remote !== undefined) await recordIdentity(run, place.session, identity);
    const found = await keepingClaim(run, remote, () => applyFunction(run, context, { ...step, remote, redeployFor }));
    if (found !== undefined) await recordIdentity(run, place.session, identity);
    requireNoDoubt(run, context);
    return { found, held: look.heldMs > 0 };
  }
  recallRefusal(context, { ...step, redeployFor: undefined });
  const found = await context.inTurn((cameAt) => {
    const inTurn: FunctionContext = { ...context, inTurn: (work) => work(cameAt) };
    const deploy = (remote: EdgeFunction | undefined): Promise<EdgeFunction | undefined> =>
      applyFunction(run, inTurn, { ...step, remote, redeployFor: undefined });
    return createFunction(run, context, { cameAt, deploy });
  });
  await recordIdentity(run, place.session, identity);
  return { found, held: false };
}

/** Says how the function is. */
function settle(run: FunctionRun, context: FunctionContext, found: EdgeFunction | undefined): Result {
  const { object, policies, slug } = context;
  const { status } = run;
  if (found === undefined) {
    status.update(noFacts);
    status.remove("Reconciling");
    status.remove("Stalled");
    const isStuck = status.condition("Converging")?.status === "False";
    const policy = `driftPolicy ${policies.driftPolicy.value} leaves that so`;
    const why = isStuck ? "deploying it did not change that" : policy;
    status.set("Ready", "False", "DriftDetected", `the function ${slug} does not exist remotely, and ${why}`);
    return nextDriftCheck(context.policies);
  }
  const bundleHash = status.current.bundleHash ?? found.ezbr_sha256 ?? undefined;
  const syncedGeneration = object.metadata.generation;
  status.update({ ...factsOf(found), slug, bundleHash, syncedGeneration, underway: undefined });
  if (found.status === "THROTTLED") {
    throw waiting("Unhealthy", "the platform holds the function back: THROTTLED", THROTTLED_LOOK_MS);
  }
  summarizeReady(status, "Available", "the function is as declared");
  return nextDriftCheck(context.policies);
}

/** `managementPolicy: Observe`: reads and reports. */
async function observeOnly(run: FunctionRun, context: FunctionContext): Promise<Result> {
  const { place, slug } = context;
  const found = await listedFunction(run, context);
  if (found === undefined) {
    const message = `managementPolicy Observe creates nothing, and there is no function ${slug} in ${place.ref}`;
    throw terminal("InvalidSpec", `${message}: deploy it, or set managementPolicy: Manage`, {
      recheckAfterMs: ABSENT_LOOK_MS,
    });
  }
  const { wanted, source } = await want(run, context);
  observeDrift(
    run,
    planFunction(wanted, found, {}).filter(({ kind }) => kind === "set"),
  );
  run.status.update({ ...factsOf(found), ref: place.ref, slug, ...source.origin });
  summarizeObserved(run.status);
  return nextDriftCheck(context.policies);
}
