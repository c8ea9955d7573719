import { createHash } from "node:crypto";
import { orAborted } from "../../base/abort.ts";
import type { ApiClient } from "../../api/client.ts";
import type { SecretKey } from "../../resources/connection/credential.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { terminal } from "../shared/failures.ts";
import { KeptMemory } from "./kept-memory.ts";
import type { RefreshTokens } from "./kept-token.ts";
import type { ConnectionView } from "./view.ts";

/** What a connection is let in with, as read from its Secrets. */
export type Credential =
  | { readonly kind: "token"; readonly token: string }
  | {
      readonly kind: "oauth";
      readonly clientId: string;
      readonly clientSecret: string;
      readonly refreshTokens: RefreshTokens;
      /** uid of the connection, in whose name the tokens are kept: one that was made anew under that name keeps its own */
      readonly owner: string;
      /** tells it from others; the refresh token itself changes all the time */
      readonly origin: string;
    }
  /** with the operator's ServiceAccount token */
  | { readonly kind: "workloadIdentity"; readonly clientId: string; readonly clientSecret: string | undefined };

/** A client and the exchanges of tokens that it makes beside its calls. */
export interface Connected {
  readonly client: ApiClient;
  /** Resolves when no refresh token is under way that a new one may replace, or that is not stored; the signal ends attempts to store it. */
  idle(signal: AbortSignal): Promise<void>;
  /** scopes that an app was found to lack; undefined for what has none */
  missingScopes(): readonly string[] | undefined;
}

/** What a client is made for. */
export interface ConnectOptions {
  readonly baseUrl: string;
  readonly credential: Credential;
  /** scopes that were found to be missing before this process */
  readonly missingScopes: readonly string[];
  /** called when the server no longer accepts the credential, or lets it do more or less than was known */
  readonly onNews: () => void;
}

/** Makes a client for a connection. */
export type Connect = (options: ConnectOptions) => Connected;

/** A client and what it was made from. */
interface Built extends Connected {
  /** digest of the URL and the credential: another one needs another client, another version of the Secret does not */
  readonly madeFrom: string;
}

/** What is under way of the clients of a connection that were let go. */
interface Leaving {
  readonly ended: Promise<unknown>;
  /** ends attempts to store what came of it */
  readonly givingUp: AbortController;
}

/** The Secrets that a connection names, by `namespace/name`. */
export type NamedSecrets = ReadonlyMap<string, CoreSecret | undefined>;

/**
 * A value of a connection's Secrets, without what an editor puts around it.
 *
 * @param what it is, as "the token"
 * @throws TerminalError CredentialMissing, naming Secret and key
 */
export function valueIn(secrets: NamedSecrets, { namespace, name, key }: SecretKey, what: string): string {
  const secret = secrets.get(`${namespace}/${name}`);
  if (secret === undefined) {
    throw terminal(
      "CredentialMissing",
      `there is no Secret ${name} in namespace ${namespace}: create it with the key ${key}`,
    );
  }
  const value = secret.data[key]?.toString("utf8").trim();
  if (value === undefined || value === "") {
    throw terminal(
      "CredentialMissing",
      `the Secret ${name} in namespace ${namespace} has no key ${key}: put ${what} there`,
    );
  }
  return value;
}

/** The values of a credential: where one of them changes it is another credential. */
function partsOf(credential: Credential): readonly (string | undefined)[] {
  switch (credential.kind) {
    case "token":
      return [credential.token];
    case "oauth":
      return [credential.clientId, credential.clientSecret, credential.origin, credential.owner];
    case "workloadIdentity":
      return [credential.clientId, credential.clientSecret];
    default:
      return credential satisfies never;
  }
}

/** The clients of all connections; one is made anew when its credential or its URL changes. */
export class Clients {
  readonly #connect: Connect;
  readonly #byId = new Map<string, Built>();
  /** exchanges of clients that were let go, by connection */
  readonly #leaving = new Map<string, Leaving>();
  /** what is known of the Secrets with refresh tokens, by connection */
  readonly #memories = new Map<string, { readonly uid: string; readonly memory: KeptMemory }>();

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /**
   * The client for a connection with this credential.
   *
   * @param told.missingScopes believed of the first client alone: another credential has other scopes
   */
  of(
    view: ConnectionView,
    credential: Credential,
    { missingScopes, onNews }: Pick<ConnectOptions, "missingScopes" | "onNews">,
  ): Connected {
    const text = JSON.stringify([view.baseUrl, credential.kind, ...partsOf(credential)]);
    const madeFrom = createHash("sha256").update(text).digest("hex");
    const known = this.#byId.get(view.id);
    if (known?.madeFrom === madeFrom) return known;
    this.#leave(view.id);
    const careful = this.#afterLeaving(view.id, credential);
    const made = this.#connect({
      baseUrl: view.baseUrl,
      credential: careful,
      missingScopes: known === undefined ? missingScopes : [],
      onNews,
    });
    this.#byId.set(view.id, { ...made, madeFrom });
    return made;
  }

  /**
   * What this process knows of the Secret with a connection's newest refresh token, whichever credential the connection has by now.
   *
   * @param uid of the connection: one that was made anew under its name has a Secret of its own
   */
  memoryOf(id: string, uid: string): KeptMemory {
    const known = this.#memories.get(id);
    if (known?.uid === uid) return known.memory;
    if (known !== undefined) this.forget(id);
    const memory = new KeptMemory();
    this.#memories.set(id, { uid, memory });
    return memory;
  }

  /** A refresh token that is under way is not read: its answer brings the one to go on with, and a second use would end both. */
  #afterLeaving(id: string, credential: Credential): Credential {
    const leaving = this.#leaving.get(id);
    if (credential.kind !== "oauth" || leaving === undefined) return credential;
    const { refreshTokens } = credential;
    const refreshToken = async (signal: AbortSignal): Promise<string> => {
      await orAborted(leaving.ended, signal);
      return refreshTokens.refreshToken(signal);
    };
    const { store, begin, refused } = refreshTokens;
    return { ...credential, refreshTokens: { store, begin, refused, refreshToken } };
  }

  /** The connection is gone, and with it all that is known of it: nobody needs its refresh token any more. */
  forget(id: string): void {
    this.#memories.delete(id);
    this.#leave(id);
    this.#leaving.get(id)?.givingUp.abort(new Error("the connection is gone"));
  }

  /** Lets the client go. Requests that are under way are cut off (ABORTED), and their runs come again with the next client. */
  #leave(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    void known.client.close();
    const before = this.#leaving.get(id);
    const givingUp = before === undefined || before.givingUp.signal.aborted ? new AbortController() : before.givingUp;
    const ended = Promise.all([before?.ended, known.idle(givingUp.signal)]);
    const leaving = { ended, givingUp };
    this.#leaving.set(id, leaving);
    void ended.then(() => {
      if (this.#leaving.get(id) === leaving) this.#leaving.delete(id);
    });
  }

  /**
   * Resolves when no refresh token is under way and all are stored: one that nobody stores is lost.
   *
   * @param signal ends attempts to store them
   */
  async idle(signal: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#giveUp();
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const leaving = [...this.#leaving.values()].map(({ ended }) => ended);
    try {
      await Promise.all([...leaving, ...[...this.#byId.values()].map((built) => built.idle(signal))]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #giveUp(): void {
    for (const { givingUp } of this.#leaving.values()) givingUp.abort(new Error("the process stops"));
  }

  async close(): Promise<void> {
    this.#giveUp();
    const clients = [...this.#byId.values()];
    this.#byId.clear();
    await Promise.all(clients.map(({ client }) => client.close()));
  }
}
