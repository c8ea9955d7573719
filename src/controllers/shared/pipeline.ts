import type { ApiLane } from "../../api/lanes.ts";
import { annotations, isPaused } from "../../resources/annotations.ts";
import { waitsForSomebody } from "../../resources/conditions.ts";
import { statusSchemaOf } from "../../resources/kinds.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { type Key, keyToString } from "../../runtime/key.ts";
import { type Disposition, type Outcome, type Result, classify, disposition } from "../../runtime/outcome.ts";
import type { ReconcileContext, Reconciler } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { reasonOf, summarizeFailure } from "./ready.ts";
import { commonStatusOf } from "./common-status.ts";
import { readIfExists } from "./core-objects.ts";
import { CheckOfRun } from "./drift-checks.ts";
import { ensureFinalizer, removeFinalizer } from "./finalizers.ts";
import { tellIgnoredAnnotations } from "./ignored-annotations.ts";
import { terminal } from "./failures.ts";
import { notingWrites } from "./noted-writes.ts";
import type { ManagedObject, ObjectStore } from "./object-store.ts";
import { disownLooks, oweLooks } from "./owed-looks.ts";
import { Run } from "./run.ts";
import { type CommonStatus, StatusDraft } from "./status-draft.ts";

/**
 * src/controllers/shared: what the kinds have in common: the way of a run (this file, run.ts, status-draft.ts), identity and ownership,
 * creating once, drift, deletion, and what is read once for many objects. Never here: what only one kind knows.
 */

/** One kind's own part: everything else of a reconcile is the same for all kinds and lives here. */
export interface KindController<Spec, Status extends CommonStatus> {
  readonly store: ObjectStore<Spec, Status>;
  /** our finalizer on objects of this kind */
  readonly finalizer: string;
  /** the group whose turns its keys take (engine.md §1) */
  groupOf(object: KubeObject): string;
  /** Makes the remote side as declared. The finalizer is added by `run.protect()` before the first remote write. */
  reconcile(run: Run<Status>, object: ManagedObject<Spec, Status>): Promise<Result>;
  /**
   * Deals with the remote side of an object under deletion. When it resolves, the finalizer goes; until then it throws.
   *
   * @param object undefined when its spec does not tell what is to become of that: then nothing remote is ever deleted
   * @param unread why, for people; "" of what can be read
   */
  finalize(run: Run<Status>, object: ManagedObject<Spec, Status> | undefined, unread: string): Promise<void>;
  /** The object is gone: lets go of what is kept in memory for it. */
  forget?(key: Key): void;
}

/** First syncs are told from edits (engine.md §2, shares). */
function apiLane(context: ReconcileContext): ApiLane {
  return context.lane === "change" && !context.wasReady ? "sync" : context.lane;
}

/** A reconciler that carries a kind through the guards in their fixed order: gone, deleting, paused, valid, then the kind's own steps. */
export function objectReconciler<Spec, Status extends CommonStatus>(
  environment: Environment,
  controller: KindController<Spec, Status>,
): Reconciler {
  const { store } = controller;
  /** what the runs found due, by key: of one that was cut off, another one tells */
  const found = new Map<string, Set<string>>();
  return {
    kind: store.kind.type.kind,
    groupOf: (key) => {
      const object = store.raw(key.namespace, key.name);
      return object === undefined ? `${key.namespace}/${key.name}` : controller.groupOf(object);
    },
    refOf: (key) => {
      const object = store.raw(key.namespace, key.name);
      return object === undefined ? undefined : refIn(storedStatus(object));
    },
    reconcile: async (key, context) => {
      const object = store.raw(key.namespace, key.name);
      if (object === undefined) {
        found.delete(keyToString(key));
        environment.sections.forget(key);
        environment.driftChecks.forget(key);
        controller.forget?.(key);
        return {};
      }
      const due = new Set<string>();
      found.set(keyToString(key), due);
      if (object.metadata.deletionTimestamp !== undefined) {
        // Read live: Retain is honoured even when set after the deletion began (engine.md §5).
        const live = await readIfExists(environment.kube, store.kind.type, key, context.signal);
        if (live?.metadata.uid !== object.metadata.uid) return {};
        return finalize(controller, newRun(environment, controller, { key, object: live, context, due }));
      }
      const run = newRun(environment, controller, { key, object, context, due });
      if (isPaused(object.metadata)) return pause(run);
      return reconcile(controller, run);
    },
    reportFailure: async (key, shown, context) => {
      const object = store.raw(key.namespace, key.name);
      if (object === undefined) return;
      const due = found.get(keyToString(key)) ?? new Set();
      await report(newRun(environment, controller, { key, object, context, due }), shown);
    },
  };
}

interface Started {
  readonly key: Key;
  readonly object: KubeObject;
  readonly context: ReconcileContext;
  readonly due: Set<string>;
}

function storedStatus(object: KubeObject): object {
  const { status } = object;
  return typeof status === "object" && status !== null ? status : {};
}

function refIn(status: object): string | undefined {
  return "ref" in status && typeof status.ref === "string" ? status.ref : undefined;
}

function newRun<Spec, Status extends CommonStatus>(
  shared: Environment,
  controller: KindController<Spec, Status>,
  { key, object, context, due }: Started,
): Run<Status> {
  const { changed } = context;
  const environment = changed === undefined ? shared : { ...shared, kube: notingWrites(shared.kube, changed) };
  const { kind } = controller.store;
  const lane = apiLane(context);
  const { generation = 0 } = object.metadata;
  const moment = { nowMs: environment.clock.now(), generation, schema: statusSchemaOf(kind.type.kind) };
  const status = new StatusDraft(kind.parseStatus(object), storedStatus(object), moment);
  for (const untold of environment.refusedTries.untold(object.metadata.uid)) status.recall(untold);
  const isAsked = asksForLook(object);
  // A check that failed is repeated for what failed: all else was looked at, or is due still.
  const isItsTime = lane === "drift" && context.failures === 0;
  return new Run({
    environment,
    key,
    type: kind.type,
    raw: object,
    status,
    signal: context.signal,
    log: context.log,
    changed,
    lane,
    urgency: context.urgency,
    isAsked,
    check: new CheckOfRun(environment.driftChecks, () =>
      environment.driftChecks.begin(key, object, { isAsked, isItsTime }),
    ),
    askedAtMs: environment.clock.monotonic() - context.askedAgoMs,
    due,
    protect: (due) =>
      ensureFinalizer(
        environment.kube,
        { type: kind.type, object },
        { finalizer: controller.finalizer, signal: context.signal, ...due },
      ),
  });
}

/** `baas.dev/paused`: nothing is read or written, and observedGeneration stays (engine.md §6). */
async function pause<Status extends CommonStatus>(run: Run<Status>): Promise<Result> {
  tellIgnoredAnnotations(run);
  run.status.set("Paused", "True", "Paused", `remove the annotation ${annotations.paused} to go on`);
  await run.writeStatus();
  return {};
}

async function reconcile<Spec, Status extends CommonStatus>(
  controller: KindController<Spec, Status>,
  run: Run<Status>,
): Promise<Result> {
  run.status.remove("Paused");
  tellIgnoredAnnotations(run);
  if (run.isAsked) oweLooks(run);
  run.observe();
  return attempt(run, async () => {
    const parsed = controller.store.parse(run.raw);
    if (!parsed.ok) throw terminal("InvalidSpec", parsed.message);
    return controller.reconcile(run, parsed.object);
  });
}

async function finalize<Spec, Status extends CommonStatus>(
  controller: KindController<Spec, Status>,
  run: Run<Status>,
): Promise<Result> {
  if (run.raw.metadata.finalizers?.includes(controller.finalizer) !== true) return {};
  tellIgnoredAnnotations(run);
  run.observe();
  return attempt(run, async () => {
    const parsed = controller.store.kind.parseDeleted(run.raw);
    const unread = parsed.ok ? "" : `its spec does not tell what is to become of that: ${parsed.message}`;
    await controller.finalize(run, parsed.ok ? parsed.object : undefined, unread);
    await leave(controller, run);
    return {};
  });
}

/** Takes the finalizer away; what the object did last is told by events, since nobody can read its status any more. */
async function leave<Spec, Status extends CommonStatus>(
  { finalizer }: KindController<Spec, Status>,
  run: Run<Status>,
): Promise<void> {
  await removeFinalizer(run.environment.kube, { type: run.type, object: run.raw }, finalizer, run.signal);
  run.environment.convergence.forget(run.raw.metadata.uid);
  run.leaving = true;
}

/** Runs the steps and writes what they learned, whether they end well or not. */
async function attempt<Status extends CommonStatus>(run: Run<Status>, steps: () => Promise<Result>): Promise<Result> {
  let result: Result;
  try {
    result = await steps();
  } catch (error) {
    const outcome = classify(error, run.signal);
    if (!CUTS_OFF.has(outcome.kind)) run.check.end();
    await report(run, disposition(outcome));
    throw error;
  }
  run.check.end();
  if (!run.leaving) await run.writeStatus();
  run.announceReady();
  return result;
}

/** Ends before all was looked at: the next run goes on. Whatever else failed for itself, all else was looked at beside it. */
const CUTS_OFF: ReadonlySet<Outcome["kind"]> = new Set(["aborted", "conflict", "deadline", "rateLimited"]);

/** Whether somebody asked for a look that was not given yet. */
function asksForLook(object: KubeObject): boolean {
  const asked = object.metadata.annotations?.[annotations.reconcileAt];
  return asked !== undefined && asked !== commonStatusOf(object).lastHandledReconcileAt;
}

/**
 * Nobody is told yet that the object waits; what else the run learned or did would be learned again, or done again. Who said nothing yet goes on so, unless
 * events told of something.
 */
async function writeUntold<Status extends CommonStatus>(run: Run<Status>): Promise<void> {
  if (run.leaving || (run.conditionBefore("Ready") === undefined && !run.isHeard)) return;
  run.status.untell();
  disownLooks(run);
  await run.writeStatus();
}

/** Shows a failure in the status and, when it is new, as an event. */
async function report<Status extends CommonStatus>(run: Run<Status>, shown: Disposition): Promise<void> {
  if (shown.metric === "aborted") return;
  if (shown.metric === "waiting" && shown.condition === undefined) return writeUntold(run);
  const { deletionTimestamp, generation = 0 } = run.raw.metadata;
  const seen = deletionTimestamp === undefined ? generation : undefined;
  summarizeFailure(run.status, shown, { generation: seen, isDue: run.isDue });
  await run.writeStatus();
  const { condition, event } = shown;
  if (condition === undefined || event === undefined) return;
  const reason = reasonOf(condition.reason);
  run.announce(waitsForSomebody(reason) ? "Warning" : event, { ...condition, reason });
}
