import { annotations } from "../../resources/annotations.ts";
import type { Reason } from "../../resources/conditions.ts";
import { durationMs } from "../../resources/duration.ts";
import type { Condition } from "../../resources/meta.ts";
import type { ConnectionKind, ManagementPolicy } from "../../resources/policies.ts";
import { classify } from "../../runtime/outcome.ts";
import type { Environment } from "../environment.ts";
import { FINAL_ABSENCE_MS } from "./absences.ts";
import { findCondition } from "./conditions.ts";
import { allowsRef, connectionObject, isTerminating, usedConnection } from "./connection-lookup.ts";
import { inTime, isRefusedCredential, UnderWayError, wasLetIn, whyBlocked } from "./deletion-failures.ts";
import { terminal, waiting } from "./failures.ts";
import type { Release } from "./releases.ts";
import { onlyObserved } from "./observed.ts";
import { pollDelayMs } from "./polling.ts";
import type { IdentityStatus } from "./record-identity.ts";
import type { Run } from "./run.ts";
import type { Session } from "./sessions.ts";
import { nameOf, type Sought } from "./sought.ts";

/** What is to be deleted remotely. */
export interface DeletionTarget {
  readonly sought: Sought;
  /** what `baas.dev/release` must say to let it go */
  readonly ref: string | undefined;
  /** what may be there as well, and goes on with it where it is let go */
  readonly beside?: Sought | undefined;
  /** the ref in which it lies, where only the object's annotation says that it is this object's (ownership.ts, `confirmed`) */
  readonly unconfirmed?: string | undefined;
  /** `deletionTimeout` of the spec */
  readonly timeout: string;
  readonly connectionRef?: { readonly kind: ConnectionKind; readonly name: string } | undefined;
}

/** How often a deletion that waits for somebody is looked at, milliseconds. */
const BLOCKED_LOOK_MS = 60_000;

/** Milliseconds since the object's deletion was asked for. */
export function deletingForMs<Status extends IdentityStatus>({ environment, raw }: Run<Status>): number {
  return environment.deletions.elapsedMs(raw.metadata);
}

/** Milliseconds until the bound of engine.md §5. */
function leftMs<Status extends IdentityStatus>({ environment, raw }: Run<Status>, { timeout }: DeletionTarget): number {
  return environment.deletions.leftMs(raw.metadata, timeout);
}

/** Milliseconds until it is believed that nothing is let in: once may be an incident, and what is let go for it runs on for ever. */
function leftToBelieveMs<Status extends IdentityStatus>(
  { environment, raw }: Run<Status>,
  { timeout }: DeletionTarget,
): number {
  return Math.min(FINAL_ABSENCE_MS, durationMs(timeout)) - environment.deletions.keptOutMs(raw.metadata);
}

/** Lets an object go by hand: `baas.dev/release: <ref>`. @returns whether it was */
async function releasedByHand<Status extends IdentityStatus>(
  run: Run<Status>,
  target: DeletionTarget,
): Promise<boolean> {
  const { ref } = target;
  if (ref === undefined || run.raw.metadata.annotations?.[annotations.release] !== ref) return false;
  await release(run, target, {
    cause: "ByHand",
    message: `the annotation ${annotations.release} asked for it`,
  });
  return true;
}

/** Tells what stays of an object that is let go. @throws WaitingError DeletionBlocked while it cannot be listed */
export async function release<Status extends IdentityStatus>(
  run: Run<Status>,
  { sought, beside }: Pick<DeletionTarget, "sought" | "beside">,
  why: Pick<Release, "cause" | "message">,
): Promise<void> {
  const remotes = [sought, beside].filter((one) => one !== undefined).map((one) => nameOf(one));
  await run.environment.releases.record({ object: run.raw, remotes, ...why }, run.signal);
  for (const remote of remotes) run.wrote("Released", `let go; ${remote} stays: ${why.message}`);
}

/** Reasons of a connection's condition that say that there is no usable credential, whatever its kind. */
const WITHOUT_CREDENTIAL: ReadonlySet<string> = new Set<Reason>([
  "CredentialMissing",
  "CredentialInvalid",
  "CredentialRevoked",
  "RefreshTokenLost",
  "AssertionRefused",
  "CredentialTerminating",
]);

/** The connection that reached the remote side last: a deletion needs no reference of the spec (engine.md §5). */
function rememberedConnection<Status extends IdentityStatus>(
  { environment, key: { namespace }, status }: Run<Status>,
  { connectionRef }: Pick<DeletionTarget, "connectionRef">,
): string | undefined {
  return usedConnection(environment, { namespace, connectionRef }, status.current.connection);
}

/** What of an object tells whether it only observes. */
interface Observing {
  readonly spec: Pick<DeletionTarget, "connectionRef"> & { readonly managementPolicy?: ManagementPolicy | undefined };
  readonly status: Pick<IdentityStatus, "connection" | "effective">;
}

/** Whether an object of a namespace only observes what is there remotely, so that its deletion leaves it (observed.ts). */
export function onlyObserves(environment: Environment, namespace: string, { spec, status }: Observing): boolean {
  const { sessions, operatorPolicies: operator } = environment;
  const id = usedConnection(environment, { namespace, connectionRef: spec.connectionRef }, status.connection);
  const connection = id === undefined ? undefined : sessions.get(id)?.defaults;
  const effective = status.effective?.managementPolicy;
  return onlyObserved({ declared: spec.managementPolicy, effective, connection, operator });
}

/** As `onlyObserves`, of the object of a run. */
export function observesOnly<Status extends IdentityStatus>(run: Run<Status>, spec: Observing["spec"]): boolean {
  return onlyObserves(run.environment, run.key.namespace, { spec, status: run.status.current });
}

/** The platform's time, as the connection of an object under deletion tells it where that is open, milliseconds since the epoch. */
export function platformNowOf<Status extends IdentityStatus>(
  run: Run<Status>,
  of: Pick<DeletionTarget, "connectionRef">,
): number {
  return rememberedSession(run, of)?.client.serverNow() ?? run.environment.clock.now();
}

/** The connection of an object under deletion, where that is open. */
export function rememberedSession<Status extends IdentityStatus>(
  run: Run<Status>,
  of: Pick<DeletionTarget, "connectionRef">,
): Session | undefined {
  const id = rememberedConnection(run, of);
  return id === undefined ? undefined : run.environment.sessions.get(id);
}

/** What a connection that does not work (yet) said last; undefined where there is none. */
function readinessOf<Status extends IdentityStatus>(
  { environment }: Run<Status>,
  id: string | undefined,
): Pick<Condition, "status" | "reason"> | undefined {
  if (id === undefined) return undefined;
  const connection = connectionObject(environment, id);
  if (connection === undefined) return undefined;
  return findCondition(connection.status.conditions, "Ready") ?? { status: "Unknown", reason: "" };
}

/** Reasons of a connection's Ready that say nothing against its being opened: never looked at yet, or kept for deletions alone. */
const MAY_OPEN: ReadonlySet<string> = new Set(["", "InUse", "CredentialTerminating"]);

/** The net below a connection's being opened, which wakes who waits for it, milliseconds. */
const OPENING_LOOK_MS = 5000;

/**
 * The connection for a deletion, or "released" when the object goes without one: by hand, or at the bound of engine.md §5, which holds
 * only in a Terminating namespace or without a credential.
 *
 * @throws WaitingError or TerminalError DeletionBlocked while there is no connection
 */
async function sessionForDeletion<Status extends IdentityStatus>(
  run: Run<Status>,
  target: DeletionTarget,
): Promise<Session | "released" | "leftAlone"> {
  if (await releasedByHand(run, target)) return "released";
  const id = rememberedConnection(run, target);
  const session = id === undefined ? undefined : run.environment.sessions.get(id);
  if (session !== undefined) return mayDelete(session, target) ? session : leaveAlone(run, session, target);
  const readiness = readinessOf(run, id);
  // Sessions live in memory: one that worked last is, for a while, only not open yet in this process, which is nothing to call anybody for.
  const mayOpen = readiness !== undefined && (readiness.status === "True" || MAY_OPEN.has(readiness.reason));
  if (mayOpen && leftMs(run, target) > 0) {
    throw waiting(
      "ConnectionNotReady",
      `${nameOf(target.sought)} is deleted once the connection is open`,
      OPENING_LOOK_MS,
    );
  }
  return blocked(run, target, {
    lacksCredential: readiness === undefined || WITHOUT_CREDENTIAL.has(readiness.reason),
    why: id === undefined ? "there is no connection" : `the connection ${id.replaceAll("//", "/")} does not work`,
  });
}

/**
 * Carries out the remote part of a deletion. What keeps it from ending holds the object until it is put right or let go by hand; in a
 * Terminating namespace, where nobody can do either, until the bound of engine.md §5.
 *
 * @returns what the work returns, "released" when the object goes with something left remotely, or "leftAlone" of what is not this object's for certain
 * @throws WaitingError or TerminalError: not done yet, and DeletionBlocked for what does not end by itself
 */
export async function deleteRemotely<T, Status extends IdentityStatus>(
  run: Run<Status>,
  target: DeletionTarget,
  work: (session: Session) => Promise<T>,
): Promise<T | "released" | "leftAlone"> {
  const session = await sessionForDeletion(run, target);
  if (typeof session === "string") return session;
  try {
    return await work(session);
  } catch (error) {
    const outcome = classify(error, run.signal);
    const { timeout } = target;
    const failed = { error, outcome, elapsedMs: deletingForMs(run), leftMs: leftMs(run, target), timeout };
    const why = whyBlocked(failed);
    const lacksCredential = session.deletionOnly && isRefusedCredential(error);
    if (!lacksCredential && wasLetIn(outcome)) run.environment.deletions.letIn(run.raw.metadata);
    if (why === undefined) throw inTime(failed);
    return blocked(run, target, {
      lacksCredential,
      why,
      ...(error instanceof UnderWayError ? { underWay: error } : {}),
    });
  }
}

function mayDelete(session: Session, { unconfirmed }: DeletionTarget): boolean {
  return unconfirmed === undefined || allowsRef(session, unconfirmed);
}

function leaveAlone<Status extends IdentityStatus>(
  run: Run<Status>,
  { kind, name }: Session,
  { sought }: DeletionTarget,
): "leftAlone" {
  const remote = nameOf(sought);
  const why = `nothing but its annotation says that it is this object's, and the ${kind} ${name} does not allow taking it over`;
  run.wrote("Retained", `the object was deleted and ${remote} is left alone: ${why}`);
  return "leftAlone";
}

/** Ends in one full stop, whoever wrote it. */
function sentence(text: string): string {
  return `${text.replace(/[.\s]+$/, "")}.`;
}

interface Blocked {
  readonly lacksCredential: boolean;
  readonly why: string;
  /** what is said where nothing is wrong yet but that it takes long */
  readonly underWay?: UnderWayError;
}

/**
 * A deletion that cannot go on: waits, and lets go at the bound where one holds.
 *
 * @throws WaitingError or TerminalError DeletionBlocked
 */
export async function blocked<Status extends IdentityStatus>(
  run: Run<Status>,
  target: DeletionTarget,
  { lacksCredential: without, why, underWay }: Blocked,
): Promise<"released"> {
  const { sought, ref, timeout } = target;
  const remote = nameOf(sought);
  const { deletions } = run.environment;
  const bounded = without || (await isTerminating(run.environment, run.key.namespace, run.signal));
  const byHand = ref === undefined ? "" : `, or annotate the object ${annotations.release}: ${ref} to let it go`;
  if (!bounded) {
    // What kept it from being accepted for long is over.
    if (underWay !== undefined && deletions.underWayMs(run.raw.metadata) < durationMs(timeout)) throw underWay;
    throw terminal("DeletionBlocked", `${remote} cannot be deleted: ${sentence(why)} Put that right${byHand}`, {
      recheckAfterMs: BLOCKED_LOOK_MS,
    });
  }
  const remainingMs = Math.max(leftMs(run, target), without ? leftToBelieveMs(run, target) : 0);
  if (remainingMs <= 0) {
    await release(run, target, { cause: without ? "NoCredential" : "DeletionTimeout", message: why });
    return "released";
  }
  throw waiting(
    "DeletionBlocked",
    `${remote} cannot be deleted: ${sentence(why)} After deletionTimeout ${timeout} the object goes without it, and ${remote} stays${byHand}`,
    Math.min(remainingMs, pollDelayMs(deletingForMs(run))),
  );
}
