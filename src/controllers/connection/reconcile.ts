import type { ApiClient } from "../../api/client.ts";
import { parseBaseUrl } from "../../api/base-url.ts";
import { isApiError } from "../../api/errors.ts";
import type { ConnectionStatus } from "../../resources/connection/status.ts";
import { durationMs } from "../../resources/duration.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { type Result, TerminalError } from "../../runtime/outcome.ts";
import type { Environment } from "../environment.ts";
import { readSecret } from "../shared/core-objects.ts";
import { type CoreSecret, secretType } from "../shared/core-types.ts";
import { kubeTime } from "../shared/conditions.ts";
import { hasDependents } from "../shared/dependents.ts";
import { explain, terminal, waitingForObject } from "../shared/failures.ts";
import { removeFinalizer } from "../shared/finalizers.ts";
import { finalizers } from "../../resources/annotations.ts";
import { summarizeReady } from "../shared/ready.ts";
import type { Run } from "../shared/run.ts";
import type { Session } from "../shared/sessions.ts";
import { type Clients, tokenOf } from "./credential.ts";
import { HELD_LOOK_MS, mustHold, protectSecret, unprotectSecret } from "./protection.ts";
import type { ConnectionView } from "./view.ts";

type ConnectionRun = Run<DeepReadonly<ConnectionStatus>>;

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
  try {
    if (!parts.allowsBaseUrl(view.baseUrl)) {
      throw terminal(
        "NotAllowed",
        `the operator may not use ${view.baseUrl}: write one of the base URLs that it was started with (--allowed-base-url)`,
      );
    }
    const secret = await readSecret(environment.kube, view.secret, run.signal);
    if (secret?.metadata.deletionTimestamp !== undefined) return await holdCredential(run, view, secret);
    await open(run, view, { parts, secret });
    await guardCredential(run, view, { parts, secret, inUse });
  } catch (error) {
    close(environment, view, error);
    throw error;
  }
  if (!inUse) await letGo(run);
  const interval = view.defaults?.driftInterval;
  return { requeueAfterMs: interval === undefined ? CHECK_INTERVAL_MS : durationMs(interval) };
}

/** The connection is being deleted: it stays while objects depend on it (engine.md §5). */
export async function finalizeConnection(
  run: ConnectionRun,
  view: ConnectionView | undefined,
  parts: ConnectionParts,
): Promise<void> {
  if (view === undefined) return;
  const { environment } = run;
  if (hasDependents(environment, view.id, view.namespace)) {
    if (environment.sessions.get(view.id) === undefined) await reconcileConnection(run, view, parts);
    throw waitingForObject("InUse", "objects still depend on this connection: it goes when they are gone");
  }
  await unprotectSecret(environment, view, run.signal);
  environment.sessions.drop(view.id);
  parts.clients.forget(view.id);
}

interface Opening {
  readonly parts: ConnectionParts;
  readonly secret: CoreSecret | undefined;
}

async function open(run: ConnectionRun, view: ConnectionView, { parts, secret }: Opening): Promise<void> {
  const { environment } = run;
  const token = tokenOf(secret, view);
  const client = parts.clients.of(view, token, () => environment.enqueue(run.key, { lane: "change" }));
  const identity = await identify(run, () => client.identity(run.call));
  // The identity may be known from before; this asks the server whether the token still holds.
  const organizations = await identify(run, () => client.organizations.list(undefined, run.call));
  run.status.update({
    reachable: true,
    identity: { type: "User", id: identity.userId, name: identity.username },
    organizations: organizations.map(({ slug }) => slug).toSorted(),
  });
  run.status.set("Reachable", "True", "Available", "the Management API answers");
  summarizeReady(run.status, "Available", `the token is ${identity.username}'s`);
  environment.sessions.set(sessionOf(view, client, identity.userId));
}

function sessionOf(view: ConnectionView, client: ApiClient, account: string): Session {
  const { id, kind, name, defaults, reservedSecretPrefix, allowedOrganizations, allowedRefs } = view;
  return {
    id,
    kind,
    name,
    client,
    server: parseBaseUrl(view.baseUrl).href,
    account,
    defaults,
    reservedSecretPrefix,
    allowedOrganizations,
    allowedRefs,
    deletionOnly: false,
  };
}

/** Tells a token that is not accepted from a server that does not answer. */
async function identify<T>(run: ConnectionRun, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (isApiError(error, "UNAUTHORIZED")) {
      run.status.update({ reachable: true });
      run.status.set("Reachable", "True", "Available", "the Management API answers");
      throw terminal(
        "CredentialInvalid",
        "the Management API does not accept the token: put a valid one into the Secret",
        { cause: error },
      );
    }
    // What lies in the Secret cannot be a token: nothing was asked, and asking again does not help.
    if (isApiError(error, "CREDENTIAL")) throw terminal("CredentialInvalid", error.message, { cause: error });
    if (isApiError(error) && error.status === undefined && error.retryable) {
      run.status.update({ reachable: false });
      run.status.set("Reachable", "False", "ServerUnavailable", error.message);
    }
    throw explain(error, "read whose token it is");
  }
}

/** A connection that does not work any more is closed to its dependents, but not for a failure that is expected to pass. */
function close(environment: Environment, view: ConnectionView, error: unknown): void {
  const session = environment.sessions.get(view.id);
  if (session === undefined || session.deletionOnly) return;
  if (error instanceof TerminalError) environment.sessions.drop(view.id);
}

interface Guarding extends Opening {
  readonly inUse: boolean;
}

async function guardCredential(
  run: ConnectionRun,
  view: ConnectionView,
  { parts, secret, inUse }: Guarding,
): Promise<void> {
  const { environment } = run;
  const before = run.status.current.credentialSecret;
  const { namespace, name } = view.secret;
  run.status.remove("CredentialTerminating");
  if (before !== undefined && (before.namespace !== namespace || before.name !== name)) {
    await unprotectSecret(environment, { ...view, secret: { ...view.secret, ...before } }, run.signal);
  }
  run.status.update({ credentialSecret: { namespace, name } });
  if (secret === undefined || !parts.credentialProtection) return;
  if (inUse) await protectSecret(environment, secret, run.signal);
  else await unprotectSecret(environment, view, run.signal);
}

/** The token's Secret is being deleted: what is being deleted with it may still use the token, nothing else. */
async function holdCredential(run: ConnectionRun, view: ConnectionView, secret: CoreSecret): Promise<Result> {
  const { environment } = run;
  const session = environment.sessions.get(view.id);
  if (session !== undefined && !session.deletionOnly) environment.sessions.set({ ...session, deletionOnly: true });
  const { namespace, name } = view.secret;
  const deletedAt = kubeTime(Date.parse(secret.metadata.deletionTimestamp ?? ""));
  run.status.update({ credentialSecret: { namespace, name, deletedAt } });
  const message = `the Secret ${name} is being deleted, and what is applied to it now is lost: create it again with a token`;
  run.status.set("CredentialTerminating", "True", "CredentialTerminating", message);
  run.status.set("Ready", "False", "CredentialTerminating", message);
  if (await mustHold(environment, view, secret, run.signal)) return { requeueAfterMs: HELD_LOOK_MS, lane: "progress" };
  await removeFinalizer(environment.kube, { type: secretType, object: secret }, finalizers.credential, run.signal);
  return {};
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
