import type { ApiClient } from "../../api/client.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { sameJson } from "./merge-patch.ts";
import type { InheritablePolicies } from "./policies.ts";

/** A connection that works: its client, whose account it is, and what its owner allows. */
export interface Session {
  /** `Connection/ns/name` or `ClusterConnection//name` */
  readonly id: string;
  readonly kind: "Connection" | "ClusterConnection";
  readonly name: string;
  /** metadata.generation of the connection that it was opened by: what a later one allows is not known to it */
  readonly generation: number;
  readonly client: ApiClient;
  /** base URL of the platform, written one way */
  readonly server: string;
  /** id of the account; ownership and budgets go by it */
  readonly account: string;
  readonly defaults: DeepReadonly<InheritablePolicies> | undefined;
  readonly reservedSecretPrefix: string;
  /** slugs, or `*`; undefined where nothing is restricted (a Connection of the namespace itself) */
  readonly allowedOrganizations: readonly string[] | undefined;
  readonly allowedRefs: readonly string[] | undefined;
  /** the credential is being deleted: objects under deletion may still use it, nothing else (engine.md §5) */
  readonly deletionOnly: boolean;
}

/** How a status names the connection that the remote side was reached through. */
export interface ConnectionInUse {
  readonly kind: string;
  readonly name: string;
  readonly identity: string;
  readonly server?: string | undefined;
}

export function connectionInUse({ kind, name, account, server }: Session): ConnectionInUse {
  return { kind, name, identity: account, server };
}

/**
 * Whether a connection reaches another platform than the one that something was recorded on: what is not found there may well exist, and what has
 * the same name there is another thing. A platform that moved to a new address is told by what it has.
 */
export function isElsewhere(recorded: ConnectionInUse | undefined, { server }: Pick<Session, "server">): boolean {
  return recorded?.server !== undefined && recorded.server !== server;
}

/** Whether something was recorded under another account, which may be shown what this one is not. */
export function isOtherAccount(recorded: ConnectionInUse | undefined, { account }: Pick<Session, "account">): boolean {
  return (recorded?.identity ?? account) !== account;
}

/**
 * Whether who acts through a connection acts in fewer places than before: what it asks for there, and has not, is free to others. One that begins to work
 * lets nobody have anything, nor does another token of the same account.
 */
export function endsClaims(before: Session | undefined, now: Session | undefined): boolean {
  if (before === undefined || before.deletionOnly) return false;
  if (now === undefined || now.deletionOnly) return true;
  return before.account !== now.account || !sameJson(before.allowedRefs, now.allowedRefs);
}

/** Told when a connection began or ceased to work, or works differently now. @param before how it worked until then */
export type SessionListener = (id: string, before: Session | undefined) => void;

function sameSession({ client, ...a }: Session, { client: other, ...b }: Session): boolean {
  return client === other && sameJson(a, b);
}

/** The connections that work now. Written by the connection controller alone, read by every other one. */
export class Sessions {
  readonly #byId = new Map<string, Session>();
  readonly #tried = new Set<string>();
  readonly #listeners = new Set<SessionListener>();

  get(id: string): Session | undefined {
    return this.#byId.get(id);
  }

  /** Whether the connection was tried in this process: before that, its not being open says nothing of it. */
  wasTried(id: string): boolean {
    return this.#tried.has(id);
  }

  /** The connection was tried, well or not. */
  noteTried(id: string): void {
    this.#tried.add(id);
  }

  /** The connection works, as `session` says; listeners hear of it only if that is news. */
  set(session: Session): void {
    const before = this.#byId.get(session.id);
    this.#byId.set(session.id, session);
    this.noteTried(session.id);
    if (before === undefined || !sameSession(before, session)) this.#tell(session.id, before);
  }

  /** The connection works no more. */
  drop(id: string): void {
    const before = this.#byId.get(id);
    if (this.#byId.delete(id)) this.#tell(id, before);
  }

  /** There is no such connection any more. */
  forget(id: string): void {
    this.drop(id);
    this.#tried.delete(id);
  }

  /** How many connections are remembered, working or not. */
  get size(): number {
    return this.#tried.size;
  }

  onChange(listener: SessionListener): void {
    this.#listeners.add(listener);
  }

  #tell(id: string, before: Session | undefined): void {
    for (const listener of this.#listeners) listener(id, before);
  }
}
