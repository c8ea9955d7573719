import { requireConnectionGuard } from "../shared/connection-guard.ts";
import { terminal } from "../shared/failures.ts";
import { identify, recordIdentity } from "../shared/record-identity.ts";
import { NameClaims } from "./claimants.ts";
import type { SecretContext, SecretRun } from "./context.ts";
import { type Declared, foreignNames, union } from "./plan.ts";

/** How often names that somebody else set are looked at, milliseconds: their removal wakes nobody. */
const TAKEN_LOOK_MS = 600_000;

/**
 * Makes the declared names this object's own before any is written: nobody else's, and recorded in the status under an optimistic lock, so
 * that nothing that was set is ever forgotten, and nothing else deleted (engine.md §4).
 *
 * @returns the names that are ours then, those that are not declared any more included
 * @throws TerminalError Conflict: another object owns one of them, or one is there that this object did not set
 */
export async function claimNames(run: SecretRun, context: SecretContext, input: Declared): Promise<readonly string[]> {
  const { object, place } = context;
  const { environment } = run;
  const { wanted, ours } = input;
  const names = wanted.map(({ name }) => name);
  const { account, server } = place.session;
  const here = { ref: place.ref, account, server };
  new NameClaims(environment, object, { place: here, ours }).require(object, names);
  const added = names.filter((name) => !ours.includes(name));
  if (added.length === 0) return ours;
  const foreign = foreignNames(input);
  if (foreign.length > 0 && object.spec.adoptionPolicy === "Never") throw taken(foreign, place.ref);
  requireConnectionGuard(run, place.session);
  const claimed = union(ours, names);
  // One object at a time: a look that another one's record could slip behind would give one name to both.
  await context.claiming.runExclusive(place.ref, run.signal, async () => {
    new NameClaims(environment, object, { place: here, ours }).require(object, added);
    await record(run, context, claimed);
  });
  // Our finalizer comes with it: nothing is written remotely before both are there.
  await recordIdentity(run, place.session, { ref: place.ref });
  if (foreign.length > 0) run.wrote("Adopted", "took over secrets", foreign);
  return claimed;
}

async function record(run: SecretRun, { place }: SecretContext, names: readonly string[]): Promise<void> {
  await run.lockStatus(() => {
    run.status.update({ names });
    identify(run, place.session, place.ref);
  });
}

function taken(names: readonly string[], ref: string): Error {
  return terminal(
    "Conflict",
    `${ref} has secrets that this object did not set: ${names.join(", ")}. Give other names with as or prefix, delete those, ` +
      "or set adoptionPolicy: IfNameMatches to take them over",
    { recheckAfterMs: TAKEN_LOOK_MS },
  );
}
