import { CredentialError } from "../../api/credentials/credentials.ts";
import { errorFields } from "../../base/error-facts.ts";
import type { Reason } from "../../resources/conditions.ts";
import type { ConnectionStatus } from "../../resources/connection/status.ts";
import { durationMs } from "../../resources/duration.ts";
import { type Result, TerminalError } from "../../runtime/outcome.ts";
import { kubeTime } from "../shared/conditions.ts";
import { isTerminating } from "../shared/connection-lookup.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { dependentsOf } from "../shared/dependents.ts";
import { type ConnectionRun, openConnection, useSession } from "./open.ts";
import { releaseSecret } from "./protection.ts";
import type { Clients, Credential } from "./credential.ts";
import { type ConnectionSecrets, type OperatorIdentity, renewKept, secretsOf } from "./secrets.ts";
import type { ConnectionView } from "./view.ts";

/** How long a Secret under deletion is kept where somebody may be replacing it, milliseconds (engine.md §5). */
const REPLACING_MS = 30_000;
/** How often a Secret that is held is looked at, milliseconds. */
const HELD_LOOK_MS = 5000;

interface Dying {
  readonly secrets: ConnectionSecrets;
  readonly operator: OperatorIdentity;
  readonly clients: Clients;
}

interface Doomed {
  readonly secret: CoreSecret;
  /** its value is not in memory yet, and may still be taken there */
  readonly untaken: boolean;
}

interface Held extends Dying {
  readonly credentialProtection: boolean;
  /** reads what the connection is let in with */
  readonly credential: () => Promise<Credential>;
}

/**
 * The Secrets of a connection that are being deleted, where the credential goes with them; none where only the operator's own goes, which is put
 * back unless its namespace goes too.
 */
export async function dyingSecrets(
  run: ConnectionRun,
  view: ConnectionView,
  { secrets, operator, clients }: Dying,
): Promise<readonly CoreSecret[]> {
  const dying = secretsOf(secrets).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const { kept } = secrets;
  if (dying.length !== 1 || dying[0] !== kept || kept === undefined) return dying;
  const { environment, signal } = run;
  if (await isTerminating(environment, kept.metadata.namespace ?? "", signal)) return dying;
  await renewKept(run, view, { kept, operator, clients });
  return [];
}

/**
 * A Secret of the credential is being deleted: what is being deleted with it may still use the credential, nothing else. Says so, and lets the
 * Secrets go when nothing needs them any more, or at the bound.
 */
export async function holdCredential(
  run: ConnectionRun,
  view: ConnectionView,
  held: Held & { readonly dying: readonly [CoreSecret, ...CoreSecret[]] },
): Promise<Result> {
  const { environment } = run;
  const first = held.dying.reduce((a, b) => (deletionTime(b) < deletionTime(a) ? b : a));
  const session = environment.sessions.get(view.id);
  if (session !== undefined && !session.deletionOnly) environment.sessions.set({ ...session, deletionOnly: true });
  run.status.update({ credentialSecrets: secretsOf(held.secrets).map(shown) });
  const message = `the Secret ${first.metadata.name} is being deleted, and what is applied to it now is lost: create it again with ${contentOf(view)}`;
  run.status.set("CredentialTerminating", "True", "CredentialTerminating", message);
  run.status.set("Ready", "False", "CredentialTerminating", message);
  run.status.remove("Reconciling");
  run.status.remove("Stalled");
  const untaken = isNeeded(run, view) && !(await takeCredential(run, view, held));
  if (!held.credentialProtection || !(await mustHold(run, view, { secret: first, untaken }))) {
    for (const secret of held.dying) await release(run, view, { ...held, secret });
    return {};
  }
  return { requeueAfterMs: HELD_LOOK_MS, lane: "progress" };
}

/** Lets a Secret go. The operator's own is put back, unless its namespace goes too: the user's may come again, with a token that was used. */
async function release(
  run: ConnectionRun,
  view: ConnectionView,
  { secret, secrets, ...parts }: Dying & { readonly secret: CoreSecret },
): Promise<void> {
  const { environment, signal } = run;
  const stays = secret === secrets.kept && !(await isTerminating(environment, secret.metadata.namespace ?? "", signal));
  if (stays) await renewKept(run, view, { ...parts, kept: secret });
  else await releaseSecret(environment, secret, signal);
}

function contentOf({ credential: { kind } }: ConnectionView): string {
  return kind === "token" ? "a token" : "what it held";
}

/** A Secret as the status names it. */
export function shown({ metadata }: CoreSecret): NonNullable<ConnectionStatus["credentialSecrets"]>[number] {
  const { namespace = "", name, deletionTimestamp } = metadata;
  const deletedAt = deletionTimestamp && kubeTime(Date.parse(deletionTimestamp));
  return { namespace, name, ...(deletedAt === undefined ? {} : { deletedAt }) };
}

function deletionTime({ metadata }: CoreSecret): string {
  return metadata.deletionTimestamp ?? "";
}

/**
 * Sessions live in memory: after a start the Secret is the only place of the token, as it is of one that was rotated and not let in yet; once it is let go,
 * memory is. A failure is no news of the Secret, which must go at its bound all the same.
 *
 * @returns false when it failed, so that the Secret is where the next look must still find the token
 */
async function takeCredential(run: ConnectionRun, view: ConnectionView, held: Held): Promise<boolean> {
  const { environment } = run;
  const { clients } = held;
  try {
    const credential = await held.credential();
    const before = environment.sessions.get(view.id);
    if (before !== undefined && clients.isOf(view, credential, before.client)) return true;
    const { session } = await openConnection(run, view, { clients, credential });
    useSession(environment, clients, { ...session, deletionOnly: true });
    return true;
  } catch (error) {
    if (run.signal.aborted) throw error;
    run.log.warn(errorFields(error), "the credential in a Secret under deletion cannot be used");
    return isOfSecret(view, error);
  }
}

/**
 * Whether it is the Secret that is wrong, so that nothing is lost with it. What the platform says of a token may be a mistake, or come from a gateway; of what
 * goes with the operator's own token, whose file is another's to write, only a missing key is the Secret's.
 */
function isOfSecret({ credential: { kind } }: ConnectionView, error: unknown): boolean {
  if (!(error instanceof TerminalError)) return false;
  const { reason, cause } = error;
  return cause instanceof CredentialError
    ? kind !== "workloadIdentity" && cause.fault === "unusable"
    : reason === ("CredentialMissing" satisfies Reason);
}

/**
 * Whether anything may be deleted with the credential yet: a process that was not there when the Secret was deleted takes the value into its memory
 * before it lets go, as one that was there has it.
 */
function isNeeded({ environment }: ConnectionRun, { id, namespace }: ConnectionView): boolean {
  return dependentsOf(environment, id, namespace).length > 0;
}

/**
 * Whether a Secret under deletion must still be held for objects that are being deleted, or are about to be with their namespace (engine.md
 * §5): for 30 s where somebody may be replacing it and its value is in memory, else until the last of them has reached its own deletionTimeout.
 */
async function mustHold(run: ConnectionRun, view: ConnectionView, { secret, untaken }: Doomed): Promise<boolean> {
  const { environment, signal } = run;
  const { deletions } = environment;
  const secretMs = deletions.sinceMs(deletionTime(secret));
  const replacing = !(await isTerminating(environment, secret.metadata.namespace ?? "", signal));
  if (replacing && !untaken && secretMs >= REPLACING_MS) return false;
  const staying = new Set<string>();
  for (const { metadata, spec } of dependentsOf(environment, view.id, view.namespace)) {
    const { namespace = "", deletionTimestamp } = metadata;
    const { deletionTimeout: timeout } = spec;
    const isDoomed = deletionTimestamp !== undefined;
    const leftMs = isDoomed ? deletions.leftMs(metadata, timeout) : durationMs(timeout) - secretMs;
    if (leftMs <= 0) continue;
    if (isDoomed || (!staying.has(namespace) && (await isTerminating(environment, namespace, signal)))) return true;
    staying.add(namespace);
  }
  return false;
}
