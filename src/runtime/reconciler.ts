import type { Logger } from "../base/log.ts";
import type { Key } from "./key.ts";
import type { Lane, Urgency } from "./lane.ts";
import type { Disposition, Result } from "./outcome.ts";

/** One thing that a run changed; free of secrets. */
export interface Change {
  /** Why, in CamelCase: the same as the event's. */
  readonly reason: string;
  readonly note: string;
  /** Dotted paths of the declared fields that differed; empty for a whole thing. */
  readonly fields: readonly string[];
}

/** What one run of a reconciler gets besides the key. */
export interface ReconcileContext {
  /**
   * Aborts when the run's deadline passes (reason: DeadlineError), when leadership is lost, or when the time to drain is over. Pass it
   * to every request and wait.
   */
  readonly signal: AbortSignal;
  /** Adds reconcileId, kind, namespace, name, lane and, once there is one, ref to each line. */
  readonly log: Logger;
  /**
   * Notes that the run changed something, remotely or in the cluster: its one line is at level info then, however the run ends, and tells the
   * changes that are told here.
   */
  readonly changed?: (change?: Change) => void;
  /** Why the key runs (engine.md §1). */
  readonly lane: Lane;
  /** How urgent its Management API requests are: more than the lane says where the key has waited too long. */
  readonly urgency: Urgency;
  /** True when whoever asked for this run saw the object Ready: in lane `change`, an edit; false, a first sync. */
  readonly wasReady: boolean;
  /** How long before its beginning this run was asked for last, milliseconds: all that it finds in the cluster's watches was there by then. */
  readonly askedAgoMs: number;
  /** Names this run in log lines; unique per run. */
  readonly reconcileId: string;
  /** Failed runs of this key in a row before this one. */
  readonly failures: number;
}

/**
 * Makes the world follow one kind of object. Source: style.md, reconcile contract.
 *
 * Guarantees of the runtime: a key runs at most once at a time over all groups, a key added while running runs once more after, and
 * whatever a run does (throws at once, throws a non-error, never ends) the other keys go on.
 */
export interface Reconciler {
  readonly kind: string;
  /** Longest time of one run, milliseconds; default two minutes. A run that ignores its signal keeps its key locked until it ends. */
  readonly deadlineMs?: number;
  /** The Kubernetes identity that keys share turns by: the Project's `namespace/name`, else the Connection's. Synchronous and cheap. */
  groupOf(key: Key): string;
  /** What the object is, or lives in, on the platform, as far as that is known: for log lines. Synchronous and cheap. */
  refOf?(key: Key): string | undefined;
  /**
   * Re-reads current state and takes the next steps.
   *
   * @returns when to look again; nothing to wait for is `{}`
   * @throws TerminalError, WaitingError, TransientError; anything else counts as transient (outcome.ts)
   */
  reconcile(key: Key, context: ReconcileContext): Promise<Result>;
  /**
   * Tells the user of a run that did not succeed (condition, event), as `disposition` says. Called after each such run that has a
   * condition to show, also when `reconcile` threw at once or overran its deadline; its own failure is logged and makes the key run
   * again with backoff. Its context carries a fresh signal with a deadline of its own.
   */
  reportFailure?(key: Key, disposition: Disposition, context: ReconcileContext): Promise<void>;
}

/** How a key is asked to run; what WorkQueue.add takes, less the group, which the reconciler of the kind tells. */
export interface EnqueueOptions {
  readonly lane: Lane;
  /** Milliseconds from now; default 0. */
  readonly afterMs?: number;
  /** For lane `change`: the object was Ready, so somebody edited it; such keys go before first syncs. Default false. */
  readonly wasReady?: boolean;
  /** For lane `drift`: the interval between checks, milliseconds; a key that waited that long for a worker moves up. */
  readonly driftIntervalMs?: number;
}

/** Asks for a run of a key. Synchronous and cannot fail, so that watch handlers may call it. */
export type Enqueue = (key: Key, options: EnqueueOptions) => void;
