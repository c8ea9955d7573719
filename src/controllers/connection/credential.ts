import { createHash } from "node:crypto";
import type { ApiClient } from "../../api/client.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { terminal } from "../shared/failures.ts";
import type { ConnectionView } from "./view.ts";

/** Makes a client for a connection. `onRejected` is called when the server no longer accepts the token. */
export type Connect = (options: {
  readonly baseUrl: string;
  readonly token: string;
  readonly onRejected: () => void;
}) => ApiClient;

/** A client and what it was made from. */
interface Built {
  /** digest of the URL and the token: another one needs another client, another version of the Secret does not */
  readonly madeFrom: string;
  readonly client: ApiClient;
}

/**
 * The token of a connection.
 *
 * @throws TerminalError CredentialMissing, naming Secret and key
 */
export function tokenOf(secret: CoreSecret | undefined, { secret: { namespace, name, key } }: ConnectionView): string {
  if (secret === undefined) {
    throw terminal(
      "CredentialMissing",
      `there is no Secret ${name} in namespace ${namespace}: create it with the key ${key}`,
    );
  }
  const token = secret.data[key]?.toString("utf8").trim();
  if (token === undefined || token === "") {
    throw terminal(
      "CredentialMissing",
      `the Secret ${name} in namespace ${namespace} has no key ${key}: put the token there`,
    );
  }
  return token;
}

/** The clients of all connections; one is made anew when the token's Secret or the URL changes. */
export class Clients {
  readonly #connect: Connect;
  readonly #byId = new Map<string, Built>();

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /**
   * The client for a connection with this token.
   *
   * @param onRejected called when the server no longer accepts the token
   */
  of(view: ConnectionView, token: string, onRejected: () => void): ApiClient {
    const madeFrom = createHash("sha256").update(`${view.baseUrl} ${token}`).digest("hex");
    const known = this.#byId.get(view.id);
    if (known?.madeFrom === madeFrom) return known.client;
    this.forget(view.id);
    const client = this.#connect({ baseUrl: view.baseUrl, token, onRejected });
    this.#byId.set(view.id, { madeFrom, client });
    return client;
  }

  /** Lets the client go. Requests that are under way are cut off (ABORTED), and their runs come again with the next client. */
  forget(id: string): void {
    const known = this.#byId.get(id);
    this.#byId.delete(id);
    void known?.client.close();
  }

  async close(): Promise<void> {
    const clients = [...this.#byId.values()];
    this.#byId.clear();
    await Promise.all(clients.map(({ client }) => client.close()));
  }
}
