import { durationMs } from "../../resources/duration.ts";
import { type Result, TerminalError } from "../../runtime/outcome.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { Environment } from "../environment.ts";
import { readSecret } from "../shared/core-objects.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { connectionId } from "../shared/connection-id.ts";
import { hasDependents } from "../shared/dependents.ts";
import { terminal, waiting } from "../shared/failures.ts";
import { removeFinalizer } from "../shared/finalizers.ts";
import { summarizeReady } from "../shared/ready.ts";
import type { Clients } from "./credential.ts";
import { holdCredential } from "./hold.ts";
import { type ConnectionRun, openConnection } from "./open.ts";
import { protectSecret, releaseSecret, samePlace, unprotectSecret } from "./protection.ts";
import type { ConnectionView } from "./view.ts";

/** What the connection controllers share beside the environment. */
export interface ConnectionParts {
  readonly clients: Clients;
  /** whether token Secrets get a finalizer (switch `credentialProtection`) */
  readonly credentialProtection: boolean;
  /** whether the operator's command line lets this base URL be used */
  readonly allowsBaseUrl: (baseUrl: string) => boolean;
}

/** How often a connection's token is tried where nobody says otherwise, milliseconds. */
const CHECK_INTERVAL_MS = 600_000;

/** Checks a connection and opens it for the objects that use it: URL allowed, token there, accepted, and whose it is. */
export async function reconcileConnection(
  run: ConnectionRun,
  view: ConnectionView,
  parts: ConnectionParts,
): Promise<Result> {
  const { environment } = run;
  const inUse = hasDependents(environment, view.id, view.namespace);
  if (inUse) await run.protect();
  await letGoOfFormerSecret(run, view);
  try {
    if (!parts.allowsBaseUrl(view.baseUrl)) {
      throw terminal(
        "NotAllowed",
        `the operator may not use ${view.baseUrl}: write one of the base URLs that it was started with (--allowed-base-url)`,
      );
    }
    const secret = await readSecret(environment.kube, view.secret, run.signal);
    if (secret?.metadata.deletionTimestamp !== undefined) {
      return await holdCredential(run, view, { ...parts, secret });
    }
    run.status.remove("CredentialTerminating");
    const { session, username } = await openConnection(run, view, { clients: parts.clients, secret });
    summarizeReady(run.status, "Available", `the token is ${username}'s`);
    environment.sessions.set(session);
    await guardCredential(run, view, { parts, secret, inUse });
  } catch (error) {
    close(environment, view, error);
    throw error;
  } finally {
    environment.sessions.noteTried(view.id);
  }
  if (!inUse) await letGo(run);
  const interval = view.defaults?.driftInterval;
  return { requeueAfterMs: interval === undefined ? CHECK_INTERVAL_MS : durationMs(interval) };
}

/**
 * The connection is being deleted: it stays, and works on, while objects depend on it (engine.md §5).
 *
 * @param view undefined when the spec cannot be read
 */
export async function finalizeConnection(
  run: ConnectionRun,
  view: ConnectionView | undefined,
  parts: ConnectionParts,
): Promise<void> {
  const { environment } = run;
  const { kind, namespace, name } = run.key;
  const id = connectionId(kind === "Connection" ? "Connection" : "ClusterConnection", namespace, name);
  if (hasDependents(environment, id, kind === "Connection" ? namespace : undefined)) {
    const look = view === undefined ? {} : await reconcileConnection(run, view, parts);
    const message = "objects still depend on this connection: it goes when they are gone";
    throw waiting("InUse", message, look.requeueAfterMs ?? CHECK_INTERVAL_MS);
  }
  for (const place of [run.status.current.credentialSecret, view?.secret]) {
    if (place !== undefined) await unprotectSecret(environment, id, place, run.signal);
  }
  environment.sessions.drop(id);
  parts.clients.forget(id);
}

/** A connection that does not work any more is closed to its dependents, but not for a failure that is expected to pass. */
function close(environment: Environment, view: ConnectionView, error: unknown): void {
  const session = environment.sessions.get(view.id);
  if (session === undefined || session.deletionOnly) return;
  if (error instanceof TerminalError) environment.sessions.drop(view.id);
}

/** Another Secret is named now, whether it is there yet or not: the former one is nobody's to keep. */
async function letGoOfFormerSecret(run: ConnectionRun, view: ConnectionView): Promise<void> {
  const before = run.status.current.credentialSecret;
  if (before === undefined || samePlace(before, view.secret)) return;
  await unprotectSecret(run.environment, view.id, before, run.signal);
  run.status.update({ credentialSecret: undefined });
}

interface Guarding {
  readonly parts: ConnectionParts;
  readonly secret: CoreSecret | undefined;
  readonly inUse: boolean;
}

async function guardCredential(
  run: ConnectionRun,
  view: ConnectionView,
  { parts, secret, inUse }: Guarding,
): Promise<void> {
  const { environment, signal } = run;
  const { namespace, name } = view.secret;
  run.status.update({ credentialSecret: { namespace, name } });
  if (secret === undefined) return;
  if (!parts.credentialProtection) await releaseSecret(environment, secret, signal);
  else if (inUse) await protectSecret(environment, secret, signal);
  else await unprotectSecret(environment, view.id, view.secret, signal);
}

/** No object depends on it any more: it may go whenever somebody deletes it. */
async function letGo(run: ConnectionRun): Promise<void> {
  await removeFinalizer(
    run.environment.kube,
    { type: run.type, object: run.raw },
    finalizers.connectionInUse,
    run.signal,
  );
}
