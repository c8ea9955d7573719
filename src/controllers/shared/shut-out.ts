import { annotations, finalizers, isPaused, parseOwnership } from "../../resources/annotations.ts";
import type { Reason } from "../../resources/conditions.ts";
import type { Condition, KubeObject, ObjectMeta } from "../../resources/meta.ts";
import type { ConnectionKind } from "../../resources/policies.ts";
import type { Intent } from "../../resources/status.ts";
import type { Environment } from "../environment.ts";
import { commonStatusOf } from "./common-status.ts";
import { findCondition } from "./conditions.ts";
import { connectionName } from "./connection-id.ts";
import { connectionObject, isTriedByItself, rawConnection, usedConnection } from "./connection-lookup.ts";
import { NotStartedError } from "./failures.ts";
import { objectNameOf } from "./ownership.ts";

/**
 * Who asks for something that it has no record of, and cannot have as things are, stands behind whoever may (ADR 4): else to name somebody's project, with a
 * token that is none, would be enough to block it. Whatever may be its own by a record, an intent or an annotation is never judged here.
 */

/** What a connection says of itself through which nobody comes in before somebody mends it. What passes by itself is not among them. */
const SHUT: ReadonlySet<string> = new Set<Reason>([
  "CredentialMissing",
  "CredentialInvalid",
  "CredentialRevoked",
  "RefreshTokenLost",
  "AssertionRefused",
  "Forbidden",
  "SecretNotOwned",
  "NotAllowed",
  "InvalidSpec",
]);

/** What an object says of itself whose spec asks for what it cannot have. */
const REFUSED: ReadonlySet<string> = new Set<Reason>(["InvalidSpec", "NotAllowed"]);

/** Why an object has come to a stop, as it says of its last edit; undefined: it has not, or has not said so of that yet. */
function stopOf(
  { generation }: Pick<ObjectMeta, "generation">,
  conditions: readonly Condition[] | undefined,
): string | undefined {
  const stalled = findCondition(conditions, "Stalled");
  return stalled?.status === "True" && stalled.observedGeneration === generation ? stalled.reason : undefined;
}

/** Whether a connection that is not open stays so until somebody mends it, as it says of its last edit. Pure. */
export function saysShut(connection: KubeObject): boolean {
  const { metadata } = connection;
  const { deletionTimestamp, finalizers: held = [] } = metadata;
  const isLeaving = deletionTimestamp !== undefined && !held.includes(finalizers.connectionInUse);
  if (isPaused(metadata) || isLeaving) return true; // nobody opens these: isTriedByItself
  return SHUT.has(stopOf(metadata, commonStatusOf(connection).conditions) ?? "");
}

/**
 * Whether nobody comes in through a connection until somebody mends it.
 *
 * @throws NotStartedError it was so in a process before this one, which has not looked yet
 */
function isShut(environment: Environment, id: string): boolean {
  if (environment.sessions.get(id) !== undefined) return false;
  const connection = rawConnection(environment, id);
  if (connection === undefined) return true;
  if (!saysShut(connection)) return false;
  if (!environment.sessions.wasTried(id) && isTriedByItself(environment, id)) {
    const { kind, name } = connectionName(id);
    throw new NotStartedError(`${kind} ${name} is being opened`);
  }
  return true;
}

/** What asks for something, as far as that is needed to judge it. One that cannot be read asks for nothing. */
export interface Asking {
  readonly metadata: ObjectMeta;
  readonly spec?:
    | {
        readonly ref?: string | undefined;
        readonly connectionRef?: { readonly kind: ConnectionKind; readonly name: string } | undefined;
      }
    | undefined;
  readonly status: {
    readonly conditions?: readonly Condition[] | undefined;
    readonly ref?: string | undefined;
    readonly intent?: Intent | undefined;
  };
}

/** Whether an object cannot have what it asks for by what it says itself: it is refused that, or deleted and not held by us any more. Pure. */
export function asksInVain({ metadata, spec, status }: Asking): boolean {
  if (metadata.deletionTimestamp !== undefined) return metadata.finalizers?.includes(finalizers.remote) !== true;
  const reason = stopOf(metadata, status.conditions) ?? "";
  // The platform shows its account no project of the ref that it names.
  return REFUSED.has(reason) || (reason === "Rejected" && spec?.ref !== undefined);
}

/**
 * Whether an object that merely asks cannot have what it asks for until somebody mends something. What is recorded for it, was asked for, or may be deleted
 * yet counts, whatever its connection does: a token that ends gives nothing away.
 *
 * @throws NotStartedError as `isShut`
 */
export function isShutOut(environment: Environment, object: Asking): boolean {
  const { metadata, spec, status } = object;
  if (spec === undefined || status.ref !== undefined || status.intent?.uid === metadata.uid) return false;
  const request = { namespace: metadata.namespace ?? "", connectionRef: spec.connectionRef };
  const id = usedConnection(environment, request, undefined);
  if (id !== undefined && mayHaveLostItsRecord(environment, metadata, id)) return false;
  if (asksInVain(object)) return true;
  return metadata.deletionTimestamp === undefined && (id === undefined || isShut(environment, id));
}

/** Whether its annotation may be what is left of a record, of an account that its connection was let in as: whoever can write that needs no more to have it. */
function mayHaveLostItsRecord(environment: Environment, metadata: ObjectMeta, id: string): boolean {
  const noted = parseOwnership(metadata.annotations?.[annotations.ref] ?? "");
  const account = connectionObject(environment, id)?.status.identity?.id;
  return (
    noted !== undefined &&
    noted.object === objectNameOf(metadata) &&
    noted.cluster === environment.cluster &&
    noted.identity === account
  );
}
