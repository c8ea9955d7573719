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

/** What the server makes of a credential: it takes it no longer, or lets it do more or less than was known. */
export type CredentialNews = "refused" | "scopes";

/** What a client is made for. */
export interface ConnectOptions {
  readonly baseUrl: string;
  readonly credential: Credential;
  /** scopes that were found to be missing before this process */
  readonly missingScopes: readonly string[];
  readonly onNews: (news: CredentialNews) => void;
}

/** Makes a client for a connection. */
export type Connect = (options: ConnectOptions) => Connected;

/** Who hears of the client that the session of a connection has; what the connection's own attempts find, they tell themselves. */
interface SessionListeners {
  /** of the client of the present credential: the connection is to look again */
  readonly onNews: () => void;
  /** a former one is refused: nothing can be sent with it any more, and the connection is being looked at already */
  readonly onFormerRefused: () => void;
}

/** A client and what it was made from. */
interface Built extends Connected {
  /** digest of the URL and the credential: another one needs another client, another version of the Secret does not */
  readonly madeFrom: string;
  /** aborts when another one is made, which the refresh token then belongs to */
  readonly superseded: AbortController;
}

/** What is under way of the clients of a connection that others were made after. */
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

/** Digest of what a client is made from. */
function digestOf({ baseUrl }: ConnectionView, credential: Credential): string {
  const text = JSON.stringify([baseUrl, credential.kind, ...partsOf(credential)]);
  return createHash("sha256").update(text).digest("hex");
}

/**
 * The clients of all connections; one is made anew when its credential or its URL changes. The former one goes on as long as its session is in use: a
 * platform that fails when a token is rotated must not leave a session by which nothing can be sent.
 */
export class Clients {
  readonly #connect: Connect;
  /** the one that was made last of each connection */
  readonly #newest = new Map<string, Built>();
  /** the one that the session of each connection has */
  readonly #inUse = new Map<string, Built>();
  /** exchanges of clients that others were made after, by connection */
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
    { missingScopes, ...listeners }: Pick<ConnectOptions, "missingScopes"> & SessionListeners,
  ): Connected {
    const madeFrom = digestOf(view, credential);
    const known = this.#newest.get(view.id);
    if (known?.madeFrom === madeFrom) return known;
    this.#supersede(view.id);
    const superseded = new AbortController();
    const onNews = (news: CredentialNews): void => {
      if (this.#inUse.get(view.id)?.superseded !== superseded) return;
      if (!superseded.signal.aborted) listeners.onNews();
      else if (news === "refused") listeners.onFormerRefused();
    };
    const made = this.#connect({
      baseUrl: view.baseUrl,
      credential: this.#oneByOne(view.id, credential, superseded.signal),
      missingScopes: known === undefined ? missingScopes : [],
      onNews,
    });
    this.#newest.set(view.id, { ...made, madeFrom, superseded });
    return made;
  }

  /** Whether a client of the connection was made from this credential, as its view says where. */
  isOf(view: ConnectionView, credential: Credential, client: ApiClient): boolean {
    const known = this.#newest.get(view.id);
    return known?.client === client && known.madeFrom === digestOf(view, credential);
  }

  /** The newest client is the session's. Requests of the former one that are under way are cut off, and their runs come again with this one. */
  noteInUse(id: string): void {
    const [former, newest] = [this.#inUse.get(id), this.#newest.get(id)];
    if (newest === undefined || newest === former) return;
    this.#inUse.set(id, newest);
    void former?.client.close();
  }

  /** The connection has no session. */
  noteUnused(id: string): void {
    const former = this.#inUse.get(id);
    this.#inUse.delete(id);
    if (former !== this.#newest.get(id)) void former?.client.close();
  }

  /**
   * What this process knows of the Secret with a connection's newest refresh token, whichever credential the connection has by now.
   *
   * @param uid of the connection: one that was made anew under its name has a Secret of its own
   */
  memoryOf(id: string, uid: string): KeptMemory {
    const known = this.#memories.get(id);
    if (known?.uid === uid) return known.memory;
    if (known !== undefined) this.#giveUpOn(id);
    const memory = new KeptMemory();
    this.#memories.set(id, { uid, memory });
    return memory;
  }

  /**
   * A refresh token that is under way is not read: its answer brings the one to go on with, and a second use would end both. A client that another
   * one was made after has its access token and no more.
   */
  #oneByOne(id: string, credential: Credential, superseded: AbortSignal): Credential {
    if (credential.kind !== "oauth") return credential;
    const leaving = this.#leaving.get(id);
    const { store, refused, ...tokens } = credential.refreshTokens;
    const refreshToken = async (signal: AbortSignal): Promise<string> => {
      if (leaving !== undefined) await orAborted(leaving.ended, signal);
      return tokens.refreshToken(signal);
    };
    const begin = (token: string, signal: AbortSignal): Promise<boolean> =>
      superseded.aborted ? Promise.reject(superseded.reason) : tokens.begin(token, signal);
    return { ...credential, refreshTokens: { store, begin, refused, refreshToken } };
  }

  /** The connection is gone, and with it all that is known of it: nobody needs its refresh token any more. */
  forget(id: string): void {
    this.#memories.delete(id);
    this.#giveUpOn(id);
    this.noteUnused(id);
  }

  #giveUpOn(id: string): void {
    this.#supersede(id);
    this.#leaving.get(id)?.givingUp.abort(new Error("the connection is gone"));
  }

  /** Another client takes the place of the newest one, which is closed unless a session has it. */
  #supersede(id: string): void {
    const known = this.#newest.get(id);
    if (known === undefined) return;
    this.#newest.delete(id);
    known.superseded.abort(new Error("the connection has another client"));
    if (known !== this.#inUse.get(id)) void known.client.close();
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
      await Promise.all([...leaving, ...[...this.#newest.values()].map((built) => built.idle(signal))]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #giveUp(): void {
    for (const { givingUp } of this.#leaving.values()) givingUp.abort(new Error("the process stops"));
  }

  async close(): Promise<void> {
    this.#giveUp();
    const clients = new Set([...this.#newest.values(), ...this.#inUse.values()]);
    this.#newest.clear();
    this.#inUse.clear();
    await Promise.all([...clients].map(({ client }) => client.close()));
  }
}
