import type { Branch } from "../../api/contract/branches.ts";
import { isApiError } from "../../api/errors.ts";
import type { Intent } from "../../resources/status.ts";
import { createOnce, inDoubtForMs } from "../shared/create-once.ts";
import { explain, waiting } from "../shared/failures.ts";
import { CHANGE_MAX_AGE_MS } from "../shared/snapshot.ts";
import { CREATE_DEADLINE_MS, foundBranches, type FoundBranch, noteIntent } from "./creation.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { platformNow } from "./expiry.ts";
import { forgetList, listBranches } from "./observe.ts";

/**
 * The default branch of a project. The first branch of a project that has none becomes it, whatever its name, stands for the project
 * itself and cannot be deleted alone (facts.md §6.6). No object that declares a preview branch may end up as that by accident, so it is
 * made first, by a name of its own.
 */

/** Always the same, so that a Branch object of this name meets the same Conflict whichever object comes first. */
const DEFAULT_NAME = "main";
/** Fingerprint of intents for a default branch: by it they are told from an object's own, whatever that is called. */
const DEFAULT_FINGERPRINT = "default-branch";
/** How soon a default branch that somebody else is making is looked for, milliseconds. */
const SIBLING_LOOK_MS = 5000;

/** Whether an intent was for the default branch, not for the object's own. */
export function isForDefault(intent: Intent | undefined): boolean {
  return intent?.fingerprint === DEFAULT_FINGERPRINT;
}

/**
 * Makes sure that the project has a default branch, exactly once however many objects ask at the same time: one run at a time decides, what it
 * decided is recorded before it is asked for, and a request whose answer was lost is waited for by all of them.
 *
 * @throws WaitingError ConfirmingAbsence while it is not certain whether there is one
 */
export async function ensureDefaultBranch(run: BranchRun, context: BranchContext): Promise<void> {
  const { place, defaultBranch } = context;
  if ((await listBranches(run, context, CHANGE_MAX_AGE_MS)).length === 0) {
    await defaultBranch.runExclusive(place.projectRef, run.signal, () => createDefault(run, context));
  }
  if (isForDefault(run.status.current.intent)) run.status.update({ intent: undefined });
}

async function createDefault(run: BranchRun, context: BranchContext): Promise<void> {
  const { object, place } = context;
  const { session, projectRef } = place;
  waitForDoubts(run, context);
  const { intent } = run.status.current;
  const lookup = async (): Promise<readonly FoundBranch[]> =>
    foundBranches(run, session, (await listBranches(run, context, 0)).slice(0, 1));
  try {
    const result = await createOnce<FoundBranch, Branch>({
      uid: object.metadata.uid,
      name: DEFAULT_NAME,
      fingerprint: DEFAULT_FINGERPRINT,
      intent: isForDefault(intent) ? intent : undefined,
      uniqueNames: false,
      requestDeadlineMs: CREATE_DEADLINE_MS,
      adopt: true, // any will do: it is not this object's
      serverNow: () => platformNow(run, context),
      requireName: () => undefined, // it is no object's
      lookup,
      lookupFormer: lookup, // its name is always the same
      recordIntent: (recorded) => noteIntent(run, context, recorded),
      restoreIntent: (before) => run.status.update({ intent: before }),
      create: (beforeSending) =>
        // is_default: a platform that has one meanwhile refuses, rather than making a preview branch of this name.
        session.client.branches.create(
          { ref: projectRef, body: { branch_name: DEFAULT_NAME, is_default: true } },
          { ...run.call, deadlineMs: CREATE_DEADLINE_MS, beforeSending },
        ),
      provesNoEffect: (error) => isApiError(error) && error.effect === "none",
      saysNameTaken: () => false, // looked into below: whose it is does not matter
      conflictMessage: () => `the project ${projectRef} has branches already`,
    });
    if (result.kind !== "created") return;
    run.wrote("Created", `created the default branch ${DEFAULT_NAME} of the project ${projectRef}, which had none`);
  } catch (error) {
    const taken = isApiError(error, "CONFLICT", "UNPROCESSABLE") && (await listBranches(run, context, 0)).length > 0;
    if (!taken) throw explain(error, "create the default branch of the project");
  } finally {
    forgetList(run, place);
  }
}

/**
 * A request that may still take effect would make two, or make a preview branch the default one: this object's own for its branch, or
 * another object's of the same project.
 */
function waitForDoubts(run: BranchRun, context: BranchContext): void {
  const { environment, raw } = run;
  const nowMs = platformNow(run, context);
  const inDoubt = (intent: Intent | undefined): boolean =>
    intent !== undefined && inDoubtForMs(intent, CREATE_DEADLINE_MS, nowMs) > 0;
  const own = run.status.current.intent;
  const ownInDoubt = own?.uid === raw.metadata.uid && !isForDefault(own) && inDoubt(own);
  const sibling = environment.objects.branches
    .list()
    .some(
      ({ metadata, status: { intent, parentRef } }) =>
        metadata.uid !== raw.metadata.uid &&
        intent?.uid === metadata.uid &&
        parentRef === context.place.projectRef &&
        inDoubt(intent),
    );
  if (!ownInDoubt && !sibling) return;
  throw waiting(
    "ConfirmingAbsence",
    "the project has no default branch, and a create request for a branch of it got no answer yet: looking again before one is made",
    SIBLING_LOOK_MS,
  );
}
