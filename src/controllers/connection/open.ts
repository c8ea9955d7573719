import { parseBaseUrl } from "../../api/base-url.ts";
import { isApiError } from "../../api/errors.ts";
import type { ConnectionStatus } from "../../resources/connection/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { explain, terminal } from "../shared/failures.ts";
import type { Run } from "../shared/run.ts";
import type { Session } from "../shared/sessions.ts";
import { type Clients, tokenOf } from "./credential.ts";
import type { ConnectionView } from "./view.ts";

export type ConnectionRun = Run<DeepReadonly<ConnectionStatus>>;

/** What a connection is opened with. */
export interface Opening {
  readonly clients: Clients;
  readonly secret: CoreSecret | undefined;
}

/** An open connection and whose it is. */
export interface Opened {
  readonly session: Session;
  readonly username: string;
}

/**
 * Opens a connection: asks the platform whose token it is and what it reads. Tells of that in the status, but not whether the connection is
 * Ready, and tells nobody of the session.
 *
 * @throws TerminalError CredentialMissing, CredentialInvalid; TransientError while the platform does not answer
 */
export async function openConnection(
  run: ConnectionRun,
  view: ConnectionView,
  { clients, secret }: Opening,
): Promise<Opened> {
  const { environment } = run;
  const token = tokenOf(secret, view);
  const client = clients.of(view, token, () => environment.enqueue(run.key, { lane: "change" }));
  const identity = await identify(run, () => client.identity(run.call));
  // The identity may be known from before; this asks the server whether the token still holds.
  const organizations = await identify(run, () => client.organizations.list(undefined, run.call));
  run.status.update({
    reachable: true,
    identity: { type: "User", id: identity.userId, name: identity.username },
    organizations: organizations.map(({ slug }) => slug).toSorted(),
  });
  run.status.set("Reachable", "True", "Available", "the Management API answers");
  return { session: sessionOf(run, view, { client, account: identity.userId }), username: identity.username };
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
    if (isApiError(error, "CREDENTIAL")) {
      throw terminal("CredentialInvalid", `${error.message}; correct the Secret`, { cause: error });
    }
    if (isApiError(error) && error.status === undefined && error.retryable) {
      run.status.update({ reachable: false });
      run.status.set("Reachable", "False", "ServerUnavailable", error.message);
    }
    throw explain(error, "read whose token it is");
  }
}
