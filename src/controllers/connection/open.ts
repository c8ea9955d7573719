import { parseBaseUrl } from "../../api/base-url.ts";
import { CredentialError } from "../../api/credentials/credentials.ts";
import { type AnyApiError, isApiError } from "../../api/errors.ts";
import type { ApiIdentity } from "../../api/identity.ts";
import type { ConnectionStatus } from "../../resources/connection/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { Key } from "../../runtime/key.ts";
import type { Environment } from "../environment.ts";
import { explain } from "../shared/failures.ts";
import { followedBy } from "../shared/followed-by.ts";
import type { Run } from "../shared/run.ts";
import type { Session } from "../shared/sessions.ts";
import type { Clients, Credential } from "./credential.ts";
import { explainCredential, notAccepted } from "./refusals.ts";
import type { ConnectionView } from "./view.ts";
import { hintOf, withHint } from "./wrong-server.ts";

export type ConnectionRun = Run<DeepReadonly<ConnectionStatus>>;

/** What a connection is opened with. */
export interface ConnectionOpening {
  readonly clients: Clients;
  readonly credential: Credential;
}

/** An open connection and whose it is. */
export interface Opened {
  readonly session: Session;
  readonly username: string;
}

/**
 * Opens a connection: asks the platform whose credential it is and what it reads. Tells of that in the status, but not whether the connection is
 * Ready, and tells nobody of the session.
 *
 * @throws TerminalError as `explainCredential`; TransientError while the platform does not answer
 */
export async function openConnection(
  run: ConnectionRun,
  view: ConnectionView,
  { clients, credential }: ConnectionOpening,
): Promise<Opened> {
  const { environment } = run;
  const { missingScopes = [] } = run.status.current;
  if (isElsewhereNow(environment, view)) closeSession(environment, clients, view.id);
  const connected = clients.of(view, credential, {
    missingScopes,
    onNews: wakes(environment, view.id, run.key),
    onFormerRefused: ends(environment, clients, view.id),
  });
  const { client } = connected;
  try {
    const identity = await identify(run, credential, () => client.identity(run.call));
    // The identity may be known from before; this asks the server whether the token still holds.
    const organizations = await identify(run, credential, () => client.organizations.list(undefined, run.call));
    run.status.update({
      reachable: true,
      identity: shownIdentity(identity, credential),
      organizations: organizations.map(({ slug }) => slug).toSorted(),
    });
    run.status.set("Reachable", "True", "Available", "the Management API answers");
    return { session: sessionOf(run, view, { client, account: identity.userId }), username: identity.username };
  } finally {
    const missing = connected.missingScopes() ?? [];
    run.status.update({ missingScopes: missing.length === 0 ? undefined : [...missing] });
  }
}

/** A connection that works is told to all who use it; of its clients the newest is its own. */
export function useSession(environment: Environment, clients: Clients, session: Session): void {
  environment.sessions.set(session);
  clients.noteInUse(session.id);
}

/** A connection that works no more is told to all who use it. */
export function closeSession(environment: Environment, clients: Clients, id: string): void {
  environment.sessions.drop(id);
  clients.noteUnused(id);
}

/** What was opened at another base URL is not used until the new one answers: a token that was rotated may be, and no edit of the spec. */
function isElsewhereNow({ sessions }: Environment, { id, baseUrl }: ConnectionView): boolean {
  const session = sessions.get(id);
  return session !== undefined && session.server !== parseBaseUrl(baseUrl).href;
}

/**
 * An open connection looks again what is wrong; one that is closed knows it, and its own attempts must not wake it for ever. What is made here outlives
 * the run, and holds nothing of it.
 */
function wakes({ sessions, enqueue }: Environment, id: string, key: Key): () => void {
  return () => {
    if (sessions.get(id)?.deletionOnly === false) enqueue(key, { lane: "change" });
  };
}

/**
 * The session goes on with a former client only as long as that is let in: each refusal of one would wake a connection that is waiting for the platform.
 * Holds nothing of the run, as what wakes it.
 */
function ends(environment: Environment, clients: Clients, id: string): () => void {
  return () => closeSession(environment, clients, id);
}

function shownIdentity({ userId, username }: ApiIdentity, credential: Credential): ConnectionStatus["identity"] {
  const account = { id: userId, name: username };
  return credential.kind === "token"
    ? { type: "User", ...account }
    : { type: "OAuthClient", ...account, clientId: credential.clientId };
}

function sessionOf(
  { raw }: ConnectionRun,
  view: ConnectionView,
  { client, account }: Pick<Session, "client" | "account">,
): Session {
  const { id, kind, name, defaults, reservedSecretPrefix, allowedOrganizations, allowedRefs } = view;
  return {
    id,
    kind,
    name,
    generation: raw.metadata.generation ?? 0,
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

/** Tells a credential that is not accepted from a server that does not answer. */
async function identify<T>(run: ConnectionRun, credential: Credential, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw isApiError(error) ? explainAnswer(run, credential, error) : error;
  }
}

function explainAnswer(run: ConnectionRun, { kind }: Credential, error: AnyApiError): unknown {
  const refused = isCredentialError(error.cause) && error.cause.fault === "refused";
  if (refused || error.code === "UNAUTHORIZED") {
    run.status.update({ reachable: true });
    run.status.set("Reachable", "True", "Available", "the Management API answers");
  }
  if (error.code === "UNAUTHORIZED") {
    return notAccepted(kind, error);
  }
  const fault = isCredentialError(error.cause) ? error.cause.fault : undefined;
  const hint = hintOf(error);
  // What waits for budget has asked nothing.
  const unanswered = error.status === undefined && error.retryable && error.code !== "BUDGET";
  const elsewhere = hint !== undefined || unanswered;
  if (fault === "unavailable" || (fault === undefined && elsewhere)) {
    run.status.update({ reachable: false });
    run.status.set(
      "Reachable",
      "False",
      "ServerUnavailable",
      hint === undefined ? error.message : followedBy(error.message, hint),
    );
  }
  const outcome = isCredentialError(error.cause)
    ? explainCredential(kind, error.cause)
    : explain(error, "read whose token it is");
  return withHint(outcome, hint);
}

function isCredentialError(error: unknown): error is CredentialError {
  return error instanceof CredentialError;
}
