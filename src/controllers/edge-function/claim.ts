import type { EdgeFunction } from "../../api/contract/functions.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { requireConnectionGuard } from "../shared/connection-guard.ts";
import { requireClaim } from "../shared/claims.ts";
import { createOnce } from "../shared/create-once.ts";
import { summarizeCreating } from "../shared/ready.ts";
import { identify, recordIdentity } from "../shared/record-identity.ts";
import { claimants } from "./claimants.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";
import { listedFunction } from "./observe.ts";
import { DEPLOY_DEADLINE_MS } from "./redeploy-rules.ts";
import { noFacts } from "./status.ts";

/** How a function is created. */
interface Creation {
  /** as `SharedRead.mark`: the look-up is a list that began to be read after that */
  readonly cameAt: number;
  /** makes what is there, if anything is, as declared */
  readonly deploy: (remote: EdgeFunction | undefined) => Promise<EdgeFunction | undefined>;
}

/** A function that a look-up found. */
interface FoundFunction {
  readonly remote: EdgeFunction;
  readonly createdMs: number | undefined;
  readonly others: boolean;
}

/**
 * Creates the function exactly once (create-once.ts). What is recorded before the first request is the claim on the slug, in the place of an
 * intent: a deployment creates or replaces, so that a second one makes no second function, and what is found under a recorded claim is ours.
 *
 * @throws TerminalError Conflict: a function of that slug is there that this object did not create
 */
export async function createFunction(
  run: FunctionRun,
  context: FunctionContext,
  { cameAt, deploy }: Creation,
): Promise<EdgeFunction | undefined> {
  const { object, place, slug } = context;
  const { ref, session } = place;
  const { account, server } = session;
  const result = await createOnce<FoundFunction, EdgeFunction | undefined>({
    uid: object.metadata.uid,
    name: slug,
    fingerprint: slug,
    intent: undefined,
    uniqueNames: true,
    requestDeadlineMs: DEPLOY_DEADLINE_MS,
    adopt: object.spec.adoptionPolicy === "IfNameMatches",
    serverNow: () => place.session.client.serverNow() ?? run.environment.clock.now(),
    requireName: () => {
      const others = claimants(run.environment, slug, { ref, account, server });
      requireClaim(object, others, `the function ${slug} of ${ref}`);
    },
    lookup: async () => {
      const remote = await listedFunction(run, context, cameAt);
      return remote === undefined ? [] : [{ remote, createdMs: remote.created_at, others: false }];
    },
    lookupFormer: () => Promise.resolve([]), // it has no intent
    recordIntent: () => claim(run, context),
    restoreIntent: () => run.status.update({ recordedFor: undefined }),
    // Before all that a deployment waits for: it is the claim on the slug, which stays whatever becomes of that.
    create: async (claimSlug) => {
      await claimSlug();
      return deploy(undefined);
    },
    provesNoEffect: (error) => refusedForGood(run, error),
    saysNameTaken: () => false,
    conflictMessage: () =>
      `the project ${place.ref} has a function ${slug} already, which this object did not create: ` +
      "choose another spec.slug in a new object, delete that function, or set adoptionPolicy: IfNameMatches to take it over",
  });
  if (result.kind === "created") return result.value;
  await claim(run, context);
  await recordIdentity(run, place.session, { ref: place.ref, id: slug });
  run.wrote("Adopted", `adopted the function ${slug} of ${place.ref}`);
  return deploy(result.found.remote);
}

/** Makes the slug this object's own, under an optimistic lock, before anything is deployed under it (engine.md §4). */
async function claim(run: FunctionRun, { place, slug }: FunctionContext): Promise<void> {
  requireConnectionGuard(run, place.session);
  await run.protect();
  const nothing = { sourceHash: undefined, bundleHash: undefined, environment: undefined, redeployment: undefined };
  await run.lockStatus(() => {
    run.status.update({ ...noFacts, ...nothing, slug, syncedGeneration: undefined });
    identify(run, place.session, place.ref);
    summarizeCreating(run.status, `deploying the function ${slug} for the first time`);
  });
}

function refusedForGood({ status }: FunctionRun, error: unknown): boolean {
  const { sourceHash, syncedGeneration } = status.current;
  return sourceHash === undefined && syncedGeneration === undefined && error instanceof TerminalError;
}

/**
 * Gives the claim back where the platform refused for good and nothing is there: what somebody else puts there later is theirs.
 *
 * @param remote what was there before the work
 */
export async function keepingClaim<T>(
  run: FunctionRun,
  remote: EdgeFunction | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (remote === undefined && refusedForGood(run, error)) run.status.update({ recordedFor: undefined });
    throw error;
  }
}
