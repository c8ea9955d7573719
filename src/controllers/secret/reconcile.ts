import type { RemoteSecret } from "../../api/contract/secrets.ts";
import type { Result } from "../../runtime/outcome.ts";
import type { SecretObject } from "../environment.ts";
import { ownsInPlace } from "../shared/child-identity.ts";
import { applyDrift, observeDrift } from "../shared/drift.ts";
import { waiting } from "../shared/failures.ts";
import { sameJson } from "../shared/merge-patch.ts";
import type { KeyedMutex } from "../shared/keyed-mutex.ts";
import { parentPlace } from "../shared/parents.ts";
import { nextDriftCheck, policiesOf } from "../shared/policies.ts";
import { summarizeObserved, summarizeReady } from "../shared/ready.ts";
import { recordIdentity } from "../shared/record-identity.ts";
import { applySecrets } from "./apply.ts";
import { claimNames } from "./claim.ts";
import type { SecretContext, SecretRun } from "./context.ts";
import { environmentInForce, ownEnvironment } from "./environment.ts";
import { listedSecrets, secretsToWrite, writtenSecrets } from "./observe.ts";
import { asDeclared, planSecrets, type SecretChange, type SecretPlanInput } from "./plan.ts";
import { isEdited, readSource, type SecretSource } from "./source.ts";

/** When what was written and does not show yet is looked at again, milliseconds. */
const UNSEEN_LOOK_MS = 3000;

/** The steps of a Secret, in order: place, policies, values, look, claim, write, verify, status. */
export async function reconcileSecret(run: SecretRun, object: SecretObject, claiming: KeyedMutex): Promise<Result> {
  const { environment, key } = run;
  const { spec } = object;
  const place = parentPlace(environment, key.namespace, spec);
  const policies = policiesOf(environment, place.session, spec);
  run.status.update({ effective: policies, environment: ownEnvironment(object) });
  const list = environment.snapshots.of(place.session.client, place.ref).secrets;
  const context: SecretContext = { object, place, policies, list, claiming };
  const source = await readSource(run, spec, place.session.reservedSecretPrefix);
  if (policies.managementPolicy.value === "Observe") return observeOnly(run, context, source);
  const owned = ownsInPlace(object, place, environment.cluster);
  const ours = owned ? run.status.current.names : [];
  const remote = await secretsToWrite(run, context, { wanted: source.wanted, ours: ours ?? [] });
  // Only a place that answers: a platform that does not know it would be believed, by its own name, that the secrets are gone.
  if (owned) await recordIdentity(run, place.session, { ref: place.ref });
  // What was in force in another place is not so in this one, and what it lacks is no drift.
  else run.status.update({ syncedGeneration: undefined });
  await bringInLine(run, context, { source, ours, remote });
  return nextDriftCheck(context.policies);
}

interface DeclaredSecrets {
  readonly source: SecretSource;
  /** names that this object set; undefined: it has set some, and the status that named them was lost */
  readonly ours: readonly string[] | undefined;
  /** what is there */
  readonly remote: readonly RemoteSecret[];
}

async function bringInLine(
  run: SecretRun,
  context: SecretContext,
  { source, ours: noted, remote }: DeclaredSecrets,
): Promise<void> {
  const { wanted } = source;
  const edited = isEdited(run.status.current, source);
  const ours = noted ?? asDeclared({ wanted, remote });
  const { input, due } = await writeWhatDiffers(run, context, { source, found: { wanted, remote, ours, edited } });
  const after = due.length === 0 ? remote : await writtenSecrets(run, context);
  const written = new Set(due.map(({ field }) => field));
  const left = planSecrets({ ...input, remote: after }).filter(({ field }) => written.has(field));
  if (left.length > 0) {
    const names = left.map(({ field }) => field).join(", ");
    throw waiting("Updating", `written, and different still: ${names}`, UNSEEN_LOOK_MS);
  }
  settle(run, context, { source, claimed: input.ours, remote: after });
}

interface FoundSecrets {
  readonly source: SecretSource;
  readonly found: SecretPlanInput;
}

interface WrittenSecrets {
  /** what was found, with the names that are this object's by now */
  readonly input: SecretPlanInput;
  /** what was set or deleted */
  readonly due: readonly SecretChange[];
}

/** Claims what is declared, and sets and deletes what is due. */
async function writeWhatDiffers(
  run: SecretRun,
  context: SecretContext,
  { source: { wanted }, found }: FoundSecrets,
): Promise<WrittenSecrets> {
  const { object, policies, list } = context;
  // From here on, and not from the request: the looks of many objects that are written one after the other are one.
  using _underWay = planSecrets(found).length > 0 ? list.underWay() : undefined;
  const input = { ...found, ours: await claimNames(run, context, { ...found, wanted }) };
  const due = applyDrift(run, { object, policies, changes: planSecrets(input) });
  if (due.length > 0) {
    await run.protect();
    await applySecrets(run, context, { due, wanted, edited: found.edited });
  }
  return { input, due };
}

interface SettledSecrets {
  readonly source: SecretSource;
  readonly claimed: readonly string[];
  readonly remote: readonly RemoteSecret[];
}

function settle(run: SecretRun, { object, place }: SecretContext, { source, claimed, remote }: SettledSecrets): void {
  const { status } = run;
  const { wanted, versions: sources } = source;
  const declared = new Set(wanted.map(({ name }) => name));
  const present = new Set(remote.map(({ name }) => name));
  // What was set once and could not be deleted yet stays ours.
  const names = claimed.filter((name) => declared.has(name) || present.has(name));
  const syncedGeneration = object.metadata.generation;
  const environment = environmentInForce(status.current.environment);
  const before = status.current;
  status.update({ ref: place.ref, names, sources, valuesMark: source.marked.mark, syncedGeneration, environment });
  leaveVersions(run, { before, redeploys: object.spec.redeployOnSecretChange });
  const count = wanted.length === 1 ? "1 secret is" : `${wanted.length} secrets are`;
  summarizeReady(status, "Available", `${count} set as declared`);
}

/** Other versions with the same values are no news, but to functions that wait for whatever may be about to change what they read. */
function leaveVersions(
  { status }: SecretRun,
  { before, redeploys }: { readonly before: SecretRun["status"]["current"]; readonly redeploys: boolean },
): void {
  const { valuesMark } = status.current;
  if (before.valuesMark === valuesMark) {
    if (!redeploys) status.leaveVersion("sources", "resourceVersion");
    return;
  }
  // Of an object that had none: versions tell until the next write, which it goes with.
  if (before.valuesMark === undefined && sameJson(before.sources, status.current.sources)) {
    status.leave({ field: "valuesMark", recorded: before.valuesMark, known: valuesMark });
  }
}

/** `managementPolicy: Observe`: reads and reports. */
async function observeOnly(run: SecretRun, context: SecretContext, { wanted }: SecretSource): Promise<Result> {
  const remote = await listedSecrets(run, context);
  observeDrift(run, planSecrets({ wanted, remote, ours: [], edited: false }));
  run.status.update({ ref: context.place.ref });
  summarizeObserved(run.status);
  return nextDriftCheck(context.policies);
}
