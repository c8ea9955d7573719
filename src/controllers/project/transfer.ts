import type { ProjectDetail } from "../../api/contract/projects.ts";
import type { TransferPreview } from "../../api/contract/transfers.ts";
import { isApiError } from "../../api/errors.ts";
import type { StepState, TransferRecord } from "../../resources/project/lifecycle.ts";
import { WaitingError } from "../../runtime/outcome.ts";
import { attempt } from "../shared/attempt.ts";
import { requireAllowedOrganization } from "../shared/connection-lookup.ts";
import { askedForBy } from "../shared/asked-for-by.ts";
import { DOUBT_LOOK_MS, inDoubtForMs } from "../shared/create-once.ts";
import { calling, explain, terminal, waiting } from "../shared/failures.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import type { ProjectContext, ProjectRun } from "./context.ts";
import { readProject } from "./observe.ts";
import { isAskedFor, REFUSED } from "./steps.ts";

/**
 * The organization that a project is in. It is told by where the project was when this object last had it, so that one that somebody moved is not
 * followed (engine.md §4), and one whose spec names another organization is transferred, once, where `transferPolicy` allows it.
 */

type Recorded = DeepReadonly<TransferRecord>;

/** What asks for it. */
const FIELD = "spec.organization";

/** Longest time of the request, milliseconds. */
const TRANSFER_DEADLINE_MS = 60_000;
/** How often something that somebody has to put right on the platform is looked at, milliseconds. */
const UNSEEN_LOOK_MS = 60_000;

/** The transfer that this very object meant. */
function ownTransfer({ status, raw }: Pick<ProjectRun, "status" | "raw">): Recorded | undefined {
  const { transfer } = status.current;
  return transfer?.uid === raw.metadata.uid ? transfer : undefined;
}

/** Whether a project in that organization is where this object had it, or where it asked for it to be taken. */
export function isOwnOrganization(run: Pick<ProjectRun, "status" | "raw">, slug: string): boolean {
  const { organization, recordedFor } = run.status.current;
  if (recordedFor !== run.raw.metadata.uid) return false;
  const transfer = ownTransfer(run);
  return slug === organization || (transfer !== undefined && isAskedFor(transfer) && transfer.to === slug);
}

/** Where a project is after its organization was looked at. */
export interface SettledOrganization {
  readonly remote: ProjectDetail;
  /** why it is not in the declared organization */
  readonly pending: Error | undefined;
}

/**
 * Makes sure that the project is in the declared organization, transferring it there where that is asked for.
 *
 * @returns the project as it is after that, and why it is not where it is declared to be: all else of it goes on where it is
 * @throws TerminalError OwnedElsewhere: somebody moved it; NotAllowed; WaitingError Transferring: it is on its way
 */
export async function settleOrganization(
  run: ProjectRun,
  context: ProjectContext,
  remote: ProjectDetail,
): Promise<SettledOrganization> {
  const { object, session, policies } = context;
  const { organization: wanted, transferPolicy } = object.spec;
  const { organization_slug: slug, ref } = remote;
  if (slug === wanted) {
    conclude(run, context, wanted);
    return { remote, pending: undefined };
  }
  if (!isOwnOrganization(run, slug)) throw movedByHand(ref, slug, wanted);
  if (transferPolicy !== "Allow" || policies.managementPolicy.value === "Observe") {
    const why = transferPolicy === "Allow" ? "managementPolicy Observe transfers nothing" : "transferPolicy is Never";
    const message = `spec.organization: the project is in ${slug}, and ${why}: put that slug back`;
    return { remote, pending: terminal("InvalidSpec", message, { recheckAfterMs: UNSEEN_LOOK_MS }) };
  }
  // Whose the project is, too: the connection's owner may have taken leave of either.
  requireAllowedOrganization(session, slug);
  const moved = await attempt(() => transfer(run, context, remote));
  if (moved.ok) return { remote: moved.value, pending: undefined };
  if (moved.failure instanceof WaitingError) throw moved.failure;
  return { remote, pending: moved.failure };
}

/** What was moved to another organization is not followed there: whose it is, and what may be done with it, is told by organization. */
function movedByHand(ref: string, slug: string, wanted: string): Error {
  return terminal(
    "OwnedElsewhere",
    `the project ${ref} was moved to the organization ${slug}: move it back to ${wanted}; or follow it there by writing that slug with ` +
      "transferPolicy: Allow; or delete this object, which leaves the project alone",
    { recheckAfterMs: UNSEEN_LOOK_MS },
  );
}

/** The project is where it is declared to be: a transfer there is done, and one to elsewhere that was never asked for is forgotten. */
function conclude(run: ProjectRun, context: ProjectContext, wanted: string): void {
  const record = ownTransfer(run);
  if (record === undefined || record.state === ("Succeeded" satisfies StepState)) return;
  if (record.to !== wanted) {
    if (!isAskedFor(record) || doubtMs(run, context, record) <= 0) run.status.update({ transfer: undefined });
    return;
  }
  if (!isAskedFor(record)) return run.status.update({ transfer: undefined }); // somebody else took it there
  const state: StepState = "Succeeded";
  const { errors: _former, ...done } = record;
  run.status.update({ transfer: { ...done, state } });
  run.wrote("Transferred", `the project is in the organization ${wanted} now, no more in ${record.from}`);
}

function doubtMs(run: ProjectRun, { session }: ProjectContext, { sentAt }: Recorded): number {
  const nowMs = session.client.serverNow() ?? run.environment.clock.now();
  return inDoubtForMs({ time: sentAt ?? "" }, TRANSFER_DEADLINE_MS, nowMs);
}

function underWay(
  { to, warnings, errors }: Pick<Recorded, "to" | "warnings" | "errors">,
  retryMs: number = DOUBT_LOOK_MS,
): Error {
  const warned = warnings === undefined ? "" : `; the platform warns: ${warnings.join("; ")}`;
  const refused = errors === undefined ? "" : `, or that is refused as it was before: ${errors.join("; ")}`;
  return waiting("Transferring", `the project is being transferred to ${to}${refused}${warned}`, retryMs);
}

function unseen({ from, to }: Recorded): Error {
  const message =
    `the platform took the transfer to ${to}, and the project is still in ${from}: nothing tells what came of it, and it is not asked for again by ` +
    `itself: see the project on the platform; to ask again write spec.organization: ${from}, and then the other one`;
  return terminal("TransferBlocked", message, { recheckAfterMs: UNSEEN_LOOK_MS });
}

async function transfer(run: ProjectRun, context: ProjectContext, remote: ProjectDetail): Promise<ProjectDetail> {
  const { object, session } = context;
  const { ref, organization_slug: from } = remote;
  const { organization: to } = object.spec;
  const earlier = ownTransfer(run);
  if (earlier !== undefined && isAskedFor(earlier)) {
    const leftMs = doubtMs(run, context, earlier);
    if (leftMs > 0) throw underWay(earlier, Math.min(leftMs, DOUBT_LOOK_MS));
    // What was taken is not asked for again: it may come yet.
    if (earlier.state === ("Running" satisfies StepState)) throw unseen(earlier);
  }
  const { transfers } = session.client;
  const preview = (): Promise<TransferPreview> => transfers.preview({ ref, body: bodyOf(to) }, run.call);
  const { valid, ...found } = (await calling("preview the transfer", preview, [FIELD])).data.attributes;
  const wanted = { from, to, uid: run.raw.metadata.uid, ...findingsOf(found) };
  if (!valid || found.errors.length > 0) {
    noteBlocked(run, wanted);
    throw blocked(wanted);
  }
  await send(run, context, { ref, wanted });
  const after = await readProject(run, session, ref);
  if (after?.organization_slug !== to) throw underWay(wanted);
  conclude(run, context, to);
  return after;
}

type Wanted = Pick<TransferRecord, "from" | "to" | "uid" | "warnings" | "errors">;

type Findings = Pick<TransferPreview["data"]["attributes"], "warnings" | "errors">;

function findingsOf({ warnings, errors }: Findings): Pick<Wanted, "warnings" | "errors"> {
  return {
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(({ message }) => message) }),
    ...(errors.length === 0 ? {} : { errors: errors.map(({ message }) => message) }),
  };
}

function bodyOf(slug: string) {
  const attributes = { target_organization_slug: slug };
  return { data: { type: "project_transfer_input", attributes } } as const;
}

function noteBlocked({ status }: ProjectRun, wanted: Wanted): void {
  const state: StepState = "Blocked";
  status.update({ transfer: { ...wanted, state } });
}

function blocked({ to, errors = ["the platform calls the transfer invalid"], warnings = [] }: Wanted): Error {
  const warned = warnings.length === 0 ? "" : `; it also warns: ${warnings.join("; ")}`;
  const message = `the project cannot be transferred to ${to}: ${errors.join("; ")}${warned}`;
  return terminal("TransferBlocked", askedForBy(message, [FIELD]), { recheckAfterMs: UNSEEN_LOOK_MS });
}

/** What may have been asked for is looked for, and not asked for again meanwhile. */
async function send(
  run: ProjectRun,
  { session }: ProjectContext,
  { ref, wanted }: { readonly ref: string; readonly wanted: Wanted },
): Promise<void> {
  const { client } = session;
  const { status } = run;
  const { from, to } = wanted;
  const refusedBy = (error: Error): Wanted => ({ ...wanted, errors: [error.message] });
  // The record of a try that is refused as the one before stays as it is.
  const earlier = ownTransfer(run);
  const errors = earlier?.to === to ? earlier.errors : undefined;
  await run.protect();
  try {
    const { record } = await sendRecorded(run, {
      what: "transfer",
      record: () => {
        const sentAt = new Date(client.serverNow() ?? run.environment.clock.now()).toISOString();
        const record = { ...wanted, state: "Sending" satisfies StepState, sentAt };
        status.update({ transfer: { ...record, ...(errors === undefined ? {} : { errors: [...errors] }) } });
        return record;
      },
      takeBack: (error) => {
        if (isApiError(error, ...REFUSED)) noteBlocked(run, refusedBy(error));
        else status.update({ transfer: undefined });
        return error.message;
      },
      send: (call) => client.transfers.create({ ref, body: bodyOf(to) }, { ...call, deadlineMs: TRANSFER_DEADLINE_MS }),
    });
    status.update({ transfer: { ...wanted, ...record, state: "Running" satisfies StepState } });
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.effect !== "none") throw underWay(wanted);
    if (isApiError(error, ...REFUSED)) throw blocked(refusedBy(error));
    throw explain(error, "transfer the project", [FIELD]);
  }
  run.wrote("Transferring", `asked for the project ${ref} to be transferred from ${from} to ${to}`, [FIELD]);
  await run.writeStatus();
}
