import type { Branch } from "../../api/contract/branches.ts";
import { isApiError } from "../../api/errors.ts";
import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import { requestAnnotation } from "../../resources/requests.ts";
import type { BranchObject } from "../environment.ts";
import { createOnce, type CreateOnceResult, fingerprintOf } from "../shared/create-once.ts";
import { declaredIn, nameFrom } from "../shared/asked-for-by.ts";
import { explain, terminal, waiting } from "../shared/failures.ts";
import { requireBranchName } from "./claimants.ts";
import { CREATE_DEADLINE_MS, type FoundBranch, foundBranches, noteIntent } from "./creation.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { isForDefault } from "./default-branch.ts";
import { platformNow } from "./expiry.ts";
import { forgetList, listBranches, noteBranch } from "./observe.ts";
import { isGoing } from "./remove.ts";
import { asksToRestore } from "./requests.ts";

type CreateBranchBody = Parameters<ApiClient["branches"]["create"]>[0]["body"];

/** How soon a name is looked at again that a branch on its way out still has, milliseconds. */
const NAME_LOOK_MS = 60_000;

/** How an object came to its branch. */
export interface CreatedBranch {
  readonly branch: Branch;
  readonly how: "created" | "recovered" | "adopted";
}

function bodyOf({ spec }: BranchObject, name: string): CreateBranchBody {
  const { gitBranch, persistent, withData, region, postgresEngine, releaseChannel, instanceSize, notifyUrl } = spec;
  return {
    branch_name: name,
    ...(gitBranch === undefined ? {} : { git_branch: gitBranch }),
    ...(persistent === undefined ? {} : { persistent }),
    ...(region === undefined ? {} : { region: region.code }),
    ...(postgresEngine === undefined ? {} : { postgres_engine: postgresEngine }),
    ...(releaseChannel === undefined ? {} : { release_channel: releaseChannel }),
    ...(instanceSize === undefined ? {} : { desired_instance_size: instanceSize }),
    ...(withData === undefined ? {} : { with_data: withData }),
    ...(notifyUrl === undefined ? {} : { notify_url: notifyUrl }),
  };
}

/** What gives it its members: paths in the object. */
function fieldsOf({ spec }: BranchObject): readonly string[] {
  const others = ["persistent", "withData", "region", "postgresEngine", "releaseChannel", "instanceSize"] as const;
  return [nameFrom(spec, "name"), ...declaredIn(spec, ["gitBranch", ...others, "notifyUrl"])];
}

/** The branches of a name, read live. Whoever asks for one that is about to be deleted has to wait for the name. */
export async function branchesNamed(
  run: BranchRun,
  context: Pick<BranchContext, "object" | "place">,
  name: string,
): Promise<readonly FoundBranch[]> {
  const matches = (await listBranches(run, context, 0)).filter((branch) => branch.name === name);
  const going = matches.find((branch) => isGoing(branch));
  const takenBack = context.object.spec.adoptionPolicy === "IfNameMatches" && asksToRestore(run);
  if (going !== undefined && !takenBack) {
    const at = going.deletion_scheduled_at ?? "";
    const message =
      `a branch named ${name} is to be deleted by the platform at ${at}: it is waited for; to have it back, set adoptionPolicy: ` +
      `IfNameMatches and annotate this object ${requestAnnotation("restore")}: <a new id>`;
    throw waiting("ConfirmingAbsence", message, NAME_LOOK_MS);
  }
  return foundBranches(run, context.place.session, matches);
}

function conflictMessage({ name, place }: BranchContext, isDefault: boolean): string {
  const what = isDefault ? "the default branch, which stands for the project itself" : "a branch";
  return (
    `the project ${place.projectRef} has ${what} named ${name}, which this object did not create: ` +
    "choose another spec.name, or set adoptionPolicy: IfNameMatches to take it over"
  );
}

/** Creates the branch exactly once (create-once.ts). The contract does not say that names are unique, so that is not relied on. */
export async function createBranch(run: BranchRun, context: BranchContext): Promise<CreatedBranch> {
  const { object } = context;
  const body = bodyOf(object, context.name);
  try {
    const result = await send(run, context, body);
    switch (result.kind) {
      case "created":
        return { branch: result.value, how: "created" };
      case "recovered":
      case "adopted":
        return { branch: result.found.branch, how: result.kind };
      default:
        return result satisfies never;
    }
  } catch (error) {
    throw explain(error, "create the branch", fieldsOf(object));
  }
}

async function send(
  run: BranchRun,
  context: BranchContext,
  body: CreateBranchBody,
): Promise<CreateOnceResult<FoundBranch, Branch>> {
  const { object, name } = context;
  const { intent } = run.status.current;
  const adopt = object.spec.adoptionPolicy === "IfNameMatches";
  return createOnce<FoundBranch, Branch>({
    uid: object.metadata.uid,
    name,
    fingerprint: fingerprintOf(body),
    intent: isForDefault(intent) ? undefined : intent,
    uniqueNames: false,
    requestDeadlineMs: CREATE_DEADLINE_MS,
    adopt,
    serverNow: () => platformNow(run, context),
    requireName: () => requireBranchName(run, context),
    lookup: () => branchesNamed(run, context, name),
    lookupFormer: async (former) => {
      const all = await listBranches(run, context, 0);
      const staying = all.filter((branch) => branch.name === former && !isGoing(branch));
      return foundBranches(run, context.place.session, staying);
    },
    recordIntent: (recorded) => noteIntent(run, context, recorded),
    restoreIntent: (before) => run.status.update({ intent: before }),
    create: (beforeSending) => post(run, context, { body, beforeSending }),
    provesNoEffect: (error) => isApiError(error) && error.effect === "none",
    saysNameTaken: (error) => isApiError(error, "CONFLICT"),
    conflictMessage: (found) =>
      conflictMessage(
        context,
        found.some(({ branch }) => branch.is_default),
      ),
  });
}

function defaultTaken(context: BranchContext): Error {
  return terminal("Conflict", conflictMessage(context, true), { recheckAfterMs: NAME_LOOK_MS });
}

interface Posting extends Required<Pick<CallOptions, "beforeSending">> {
  readonly body: CreateBranchBody;
}

async function post(run: BranchRun, context: BranchContext, { body, beforeSending }: Posting): Promise<Branch> {
  const { place } = context;
  const { session, projectRef: ref } = place;
  try {
    const options = { ...run.call, deadlineMs: CREATE_DEADLINE_MS, beforeSending };
    const created = await session.client.branches.create({ ref, body }, options);
    noteBranch(run, place, created);
    if (!created.is_default) return created;
    // The project lost its default branch between the look and the request (facts.md §6.6): what was made is not a preview branch.
    run.status.update({ intent: undefined });
    throw defaultTaken(context);
  } catch (error) {
    forgetList(run, place);
    throw error;
  }
}
