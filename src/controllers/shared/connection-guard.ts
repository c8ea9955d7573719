import { finalizers } from "../../resources/annotations.ts";
import { waiting } from "./failures.ts";
import type { Run } from "./run.ts";
import type { Session } from "./sessions.ts";
import type { CommonStatus } from "./status-draft.ts";

/** The connection is guarded within moments of being asked; this is the net below its watch event, milliseconds. */
const GUARD_LOOK_MS = 2000;

/**
 * Before anything remote is created, the connection must carry its finalizer: without it, it could be deleted and leave the remote thing
 * without a credential (engine.md §5).
 *
 * @throws WaitingError ConnectionNotReady until it does
 */
export function requireConnectionGuard<Status extends CommonStatus>(run: Run<Status>, session: Session): void {
  const { environment, key } = run;
  const { connections, clusterConnections } = environment.objects;
  const { kind, name } = session;
  const namespace = kind === "Connection" ? key.namespace : "";
  const object = kind === "Connection" ? connections.raw(namespace, name) : clusterConnections.raw("", name);
  if (object?.metadata.finalizers?.includes(finalizers.connectionInUse) === true) return;
  environment.enqueue({ kind, namespace, name }, { lane: "change", wasReady: true });
  throw waiting("ConnectionNotReady", `the ${kind} ${name} is being marked as in use`, GUARD_LOOK_MS);
}
