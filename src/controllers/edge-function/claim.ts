import type { EdgeFunction } from "../../api/contract/functions.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { requireConnectionGuard } from "../shared/connection-guard.ts";
import { terminal } from "../shared/failures.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { connectionInUse } from "../shared/sessions.ts";
import type { FunctionContext, FunctionRun } from "./context.ts";
import { liveFunction } from "./observe.ts";
import { noFacts } from "./status.ts";

/** How often a name that somebody else's function has is looked at, milliseconds: its removal wakes nobody. */
const TAKEN_LOOK_MS = 600_000;

/**
 * Makes the slug this object's own before anything is deployed under it: looks live, and records the claim under an optimistic lock
 * (engine.md §4). A deployment creates or replaces, so that a lost answer makes no second function: what is found under a recorded claim
 * is ours.
 *
 * @returns what is there already, taken over as `adoptionPolicy` asks
 * @throws TerminalError Conflict: a function of that slug is there that this object did not create
 */
export async function claimFunction(run: FunctionRun, context: FunctionContext): Promise<EdgeFunction | undefined> {
  const { object, place, slug } = context;
  const found = await liveFunction(run, context);
  if (found !== undefined && object.spec.adoptionPolicy === "Never") {
    throw terminal(
      "Conflict",
      `the project ${place.ref} has a function ${slug} already, which this object did not create: ` +
        "choose another spec.slug in a new object, delete that function, or set adoptionPolicy: IfNameMatches to take it over",
      { recheckAfterMs: TAKEN_LOOK_MS },
    );
  }
  requireConnectionGuard(run, place.session);
  await run.protect();
  run.status.update({ ...noFacts, slug, sourceHash: undefined, bundleHash: undefined, syncedGeneration: undefined });
  run.status.identified({
    ref: place.ref,
    recordedFor: object.metadata.uid,
    connection: connectionInUse(place.session),
  });
  run.status.set("Ready", "Unknown", "Creating", `deploying the function ${slug} for the first time`);
  await run.lockStatus();
  if (found !== undefined) {
    await recordIdentity(run, place.session, { ref: place.ref, id: slug });
    run.wrote("Adopted", `adopted the function ${slug} of ${place.ref}`);
  }
  return found;
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
    const untouched = remote === undefined && run.status.current.sourceHash === undefined;
    if (untouched && error instanceof TerminalError) run.status.update({ recordedFor: undefined });
    throw error;
  }
}
