import { BaseUrlError, parseBaseUrl } from "../../api/base-url.ts";
import { type Result, TerminalError } from "../../runtime/outcome.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isKubeError } from "../../kube/errors.ts";
import type { Environment } from "../environment.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { connectionId } from "../shared/connection-id.ts";
import { hasDependents } from "../shared/dependents.ts";
import { terminal, waiting } from "../shared/failures.ts";
import { removeFinalizer } from "../shared/finalizers.ts";
import { nextDriftCheck, policiesOf } from "../shared/policies.ts";
import { summarizeReady } from "../shared/ready.ts";
import type { Clients, Credential } from "./credential.ts";
import { dyingSecrets, holdCredential, shown } from "./hold.ts";
import { keptPlace } from "./kept-secret.ts";
import { takeOverKept } from "./kept-move.ts";
import { closeSession, type ConnectionRun, openConnection, useSession } from "./open.ts";
import { protectSecret, releaseSecret, unprotectSecret } from "./protection.ts";
import { credentialIn, type OperatorIdentity, readKept, readSecrets, secretsOf } from "./secrets.ts";
import { type ConnectionView, namedSecrets, samePlace, type SecretPlace } from "./view.ts";

/** What the connection controllers share beside the environment. */
export interface ConnectionParts {
  readonly clients: Clients;
  readonly operator: OperatorIdentity;
  /** whether the Secrets of credentials get a finalizer (switch `credentialProtection`) */
  readonly credentialProtection: boolean;
  /** whether the operator's command line lets this base URL, as `parseBaseUrl` writes it, be used */
  readonly allowsBaseUrl: (href: string) => boolean;
}

/** The same, and what outlives a run beside the clients that use it. */
type LastingParts = ConnectionParts & { readonly kube: KubeClient };

/** How often a connection that is to go is looked at where nothing wakes it, milliseconds. */
const LEAVING_LOOK_MS = 600_000;

/** Checks a connection and opens it for the objects that use it: URL allowed, token there, accepted, and whose it is. */
export async function reconcileConnection(
  run: ConnectionRun,
  view: ConnectionView,
  parts: LastingParts,
): Promise<Result> {
  const { environment } = run;
  const inUse = hasDependents(environment, view.id, view.namespace);
  let isStale = false;
  try {
    if (inUse) await run.protect();
    // First: what a former place holds, a finalizer of ours may be all that keeps.
    await takeOverKept(run, view, parts);
    await letGoOfFormerSecrets(run, view);
    if (!parts.allowsBaseUrl(serverOf(view))) {
      throw terminal(
        "NotAllowed",
        `the operator may not use ${view.baseUrl}: write one of the base URLs that it was started with (--allowed-base-url)`,
      );
    }
    const secrets = await readSecrets(run, view, parts.operator);
    const credential = (): Promise<Credential> => credentialIn(run, view, { ...parts, secrets });
    const [dying, ...more] = await dyingSecrets(run, view, { ...parts, secrets });
    if (dying !== undefined) {
      return await holdCredential(run, view, { ...parts, secrets, credential, dying: [dying, ...more] });
    }
    run.status.remove("CredentialTerminating");
    const { session, username } = await openConnection(run, view, { ...parts, credential: await credential() });
    summarizeReady(run.status, "Available", readyMessage(view, username));
    useSession(environment, parts.clients, session);
    // Opening may have made the operator's own Secret.
    const kept = await readKept(run, view, parts.operator);
    await guardCredential(run, view, { parts, inUse, secrets: secretsOf({ ...secrets, kept }) });
  } catch (error) {
    isStale = isKubeError(error, "Conflict");
    closeUnlessPassing(environment, view, { clients: parts.clients, error });
    throw error;
  } finally {
    // What was written meanwhile is read and tried at once: until then its not being open says nothing of it.
    if (!isStale) environment.sessions.noteTried(view.id);
  }
  if (!inUse) await letGo(run);
  // Its token is tried as often as what it reaches is looked at: never, where nobody looks.
  return nextDriftCheck(policiesOf(environment, view, { deletionPolicy: "Retain" }));
}

/**
 * The connection is being deleted: it stays, and works on, while objects depend on it (engine.md §5).
 *
 * @param view undefined when the spec cannot be read
 */
export async function finalizeConnection(
  run: ConnectionRun,
  view: ConnectionView | undefined,
  parts: LastingParts,
): Promise<void> {
  const { environment } = run;
  const { kind, namespace, name } = run.key;
  const id = connectionId(kind === "Connection" ? "Connection" : "ClusterConnection", namespace, name);
  if (hasDependents(environment, id, kind === "Connection" ? namespace : undefined)) {
    const look = view === undefined ? {} : await reconcileConnection(run, view, parts);
    const message = "objects still depend on this connection: it goes when they are gone";
    throw waiting("InUse", message, look.requeueAfterMs ?? LEAVING_LOOK_MS);
  }
  const named = view === undefined ? [] : ownSecrets(view);
  for (const place of [...(run.status.current.credentialSecrets ?? []), ...named]) {
    await unprotectSecret(environment, id, place, run.signal);
  }
  closeSession(environment, parts.clients, id);
  parts.clients.forget(id);
}

/** A connection that does not work any more is closed to its dependents, but not for a failure that is expected to pass. */
function closeUnlessPassing(
  environment: Environment,
  { id }: ConnectionView,
  { clients, error }: { readonly clients: Clients; readonly error: unknown },
): void {
  const session = environment.sessions.get(id);
  if (session === undefined || session.deletionOnly) return;
  if (error instanceof TerminalError) closeSession(environment, clients, id);
}

/** @throws TerminalError for a base URL that the definition takes and the client does not, in the client's words */
function serverOf({ baseUrl }: ConnectionView): string {
  try {
    return parseBaseUrl(baseUrl).href;
  } catch (error) {
    if (!(error instanceof BaseUrlError)) throw error;
    throw terminal("InvalidSpec", `spec.baseUrl: ${error.message}`, { cause: error });
  }
}

function readyMessage({ credential }: ConnectionView, username: string): string {
  return credential.kind === "token"
    ? `the token is ${username}'s`
    : `the app ${credential.clientId} acts for ${username}`;
}

/** The Secrets that a connection names, and the operator's own one. */
function ownSecrets(view: ConnectionView): readonly SecretPlace[] {
  const named = namedSecrets(view);
  const kept = keptPlace(view);
  return kept === undefined ? named : [...named, kept];
}

/** Other Secrets are named now, whether they are there yet or not: the former ones are nobody's to keep. */
async function letGoOfFormerSecrets(run: ConnectionRun, view: ConnectionView): Promise<void> {
  const before = run.status.current.credentialSecrets ?? [];
  const now = ownSecrets(view);
  const former = before.filter((place) => !now.some((other) => samePlace(place, other)));
  if (former.length === 0) return;
  for (const place of former) await unprotectSecret(run.environment, view.id, place, run.signal);
  run.status.update({ credentialSecrets: before.filter((place) => !former.includes(place)) });
}

interface Guarding {
  readonly parts: ConnectionParts;
  readonly inUse: boolean;
  readonly secrets: readonly CoreSecret[];
}

async function guardCredential(
  run: ConnectionRun,
  view: ConnectionView,
  { parts, inUse, secrets }: Guarding,
): Promise<void> {
  const { environment, signal } = run;
  run.status.update({ credentialSecrets: secrets.length === 0 ? undefined : secrets.map(shown) });
  for (const secret of secrets) {
    if (!parts.credentialProtection) await releaseSecret(environment, secret, signal);
    else if (inUse) await protectSecret(environment, secret, signal);
    // What was just read knows better than the cache, which may still hold a former Secret of that name.
    else if (isGuarded(secret)) await unprotectSecret(environment, view.id, placeOf(secret), signal);
  }
}

function isGuarded({ metadata }: CoreSecret): boolean {
  return metadata.finalizers?.includes(finalizers.credential) === true;
}

function placeOf({ metadata: { namespace = "", name } }: CoreSecret): SecretPlace {
  return { namespace, name };
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
