import type { ApiLane } from "../../api/lanes.ts";
import type { CallOptions } from "../../api/client-options.ts";
import type { Logger } from "../../base/log.ts";
import { annotations } from "../../resources/annotations.ts";
import type { ConditionType, Reason } from "../../resources/conditions.ts";
import type { Condition, KubeObject, ResourceType } from "../../resources/meta.ts";
import { isKubeError } from "../../kube/errors.ts";
import type { Key } from "../../runtime/key.ts";
import type { Change } from "../../runtime/reconciler.ts";
import type { Environment } from "../environment.ts";
import { AnswersOfRun } from "./answers.ts";
import { findCondition } from "./conditions.ts";
import type { CheckOfRun } from "./drift-checks.ts";
import { countDrift } from "./drift-count.ts";
import { FIELD_MANAGER, type Protection } from "./finalizers.ts";
import type { CommonStatus, StatusDraft } from "./status-draft.ts";

/** How often the status is written while somebody else writes the object as well. */
const MOST_STATUS_TRIES = 5;

interface RunOptions<Status extends CommonStatus> {
  readonly environment: Environment;
  readonly key: Key;
  readonly type: ResourceType;
  readonly raw: KubeObject;
  readonly status: StatusDraft<Status>;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly lane: ApiLane;
  readonly urgency: ApiLane;
  /** as `Run.isAsked` */
  readonly isAsked: boolean;
  readonly check: CheckOfRun;
  /** as `Run.askedAtMs` */
  readonly askedAtMs: number;
  /** holds what `Run.noteDue` is told, for who tells of a run that was cut off */
  readonly due: Set<string>;
  /** puts our finalizer on the object; resolves to the object with it, or to undefined where it was there */
  readonly protect: (due: Pick<Protection, "version" | "annotation">) => Promise<KubeObject | undefined>;
  /** told of what the run writes to the platform; of what it writes to the cluster, the environment's client tells */
  readonly changed?: ((change: Change) => void) | undefined;
}

interface Announced {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** How long a run waits for request budget before it gives its worker back (engine.md §1). */
export const BUDGET_WAIT_MS = 1000;

/** One run of one object: what it is about, the status it will leave, and how it tells of what it did. */
export class Run<Status extends CommonStatus> {
  readonly environment: Environment;
  readonly key: Key;
  readonly type: ResourceType;
  /** the object as stored when the run began */
  readonly raw: KubeObject;
  readonly status: StatusDraft<Status>;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** why it runs */
  readonly lane: ApiLane;
  /** somebody asked for a look at everything that was not given yet */
  readonly isAsked: boolean;
  readonly check: CheckOfRun;
  readonly answers = new AnswersOfRun();
  /** when it was asked for last, monotonic milliseconds: what was read of the platform before that may be older than what is declared */
  readonly askedAtMs: number;
  /** the lane of its requests: more urgent than why it runs where its key has waited too long */
  readonly #urgency: ApiLane;
  /** the finalizer is gone, and with it perhaps the object: no status is written any more */
  leaving = false;
  /** an event tells of what this run did */
  #wrote = false;
  /** an event tells of this run */
  #isHeard = false;
  #protected = false;
  /** fields whose writes repair drift, and were not told to be made yet */
  readonly #repairs = new Set<string>();
  /** fields that are not as declared, and whose writes were not told to be made yet */
  readonly #due: Set<string>;
  /** the identity that the object's annotation records */
  #recorded: string | undefined;
  /** the newest version of the object that this run has read, or written over what it had read */
  #version: string;
  /** the newest version that this very object is known to have had, whatever else was written to it */
  #latest: string;
  readonly #conditionsBefore: Status["conditions"];
  readonly #protect: RunOptions<Status>["protect"];
  readonly #changed: (change: Change) => void;

  constructor(options: RunOptions<Status>) {
    this.environment = options.environment;
    this.key = options.key;
    this.type = options.type;
    this.raw = options.raw;
    this.status = options.status;
    this.signal = options.signal;
    this.log = options.log;
    this.lane = options.lane;
    this.isAsked = options.isAsked;
    this.check = options.check;
    this.askedAtMs = options.askedAtMs;
    this.#urgency = options.urgency;
    this.#due = options.due;
    this.#protect = options.protect;
    this.#changed = options.changed ?? (() => undefined);
    this.#version = options.raw.metadata.resourceVersion;
    this.#latest = this.#version;
    this.#recorded = options.raw.metadata.annotations?.[annotations.ref];
    this.#conditionsBefore = options.status.current.conditions;
  }

  /** Puts our finalizer on the object; call before the first remote write. Idempotent. @throws KubeError Conflict: read again */
  async protect(): Promise<void> {
    await this.#ensureProtected({});
  }

  /** What the object's annotation records of its identity. */
  get recorded(): string | undefined {
    return this.#recorded;
  }

  /**
   * Writes the identity to the object's annotation, and in the same patch our finalizer where the object is managed and has none. Idempotent.
   *
   * @throws KubeError Conflict: read again
   */
  async record(text: string, { managed }: { readonly managed: boolean }): Promise<void> {
    const { environment, raw, key, type, signal } = this;
    if (managed) await this.#ensureProtected({ annotation: { name: annotations.ref, value: text } });
    if (this.#recorded === text) return;
    const patch = { metadata: { uid: raw.metadata.uid, annotations: { [annotations.ref]: text } } };
    // Not locked, so the version that it leaves is no one that this run has read.
    const written = await environment.kube.patchMerge(type, key, patch, { fieldManager: FIELD_MANAGER, signal });
    this.#latest = written.metadata.resourceVersion;
    this.#recorded = text;
  }

  async #ensureProtected({ annotation }: Pick<Protection, "annotation">): Promise<void> {
    if (this.#protected) return;
    const written = await this.#protect({ version: this.#version, annotation });
    this.#protected = true;
    if (written === undefined) return;
    this.#version = written.metadata.resourceVersion;
    this.#latest = this.#version;
    this.#recorded = annotation?.value ?? this.#recorded;
  }

  /** Options of a Management API call of this run. */
  get call(): CallOptions & { readonly lane: ApiLane; readonly signal: AbortSignal } {
    return { signal: this.signal, lane: this.#urgency, maxWaitMs: BUDGET_WAIT_MS };
  }

  /** The same for what is looked at since a drift check is due, whatever the run is for: it has a share of its own (engine.md §2). */
  get driftCall(): Run<Status>["call"] {
    const { call, isAsked, lane, check } = this;
    return isAsked || check.isOverdue || lane === "drift" ? call : { ...call, lane: "drift" };
  }

  /** Marks the generation and the asked-for reconcile as looked at, on failure too (engine.md §7). */
  observe(): void {
    const { generation = 0, annotations: given = {} } = this.raw.metadata;
    this.status.observed(generation, given[annotations.reconcileAt]);
  }

  /** Notes that writes of these fields, should they be made, repair drift. */
  repairs(fields: readonly string[]): void {
    for (const field of fields) this.#repairs.add(field);
  }

  /**
   * Notes fields that were found to be otherwise than declared, and are to be written: until `wrote` names them, or `noteDone`, a failure leaves no Ready
   * that was seen before (engine.md §7).
   */
  noteDue(fields: readonly string[]): void {
    for (const field of fields) this.#due.add(field);
  }

  noteDone(fields: readonly string[]): void {
    for (const field of fields) this.#due.delete(field);
  }

  /** Something is known not to be as declared. */
  get isDue(): boolean {
    return this.#due.size > 0;
  }

  /**
   * Tells of a remote write that was made: an event, and in the run's log line the fields that made it, never their secret values (engine.md §6);
   * before it, of the drift that it repaired. A write that was refused, waits or lost its answer repaired none that is known of.
   *
   * @param note what was done; the event's goes on with the fields
   * @param fields dotted paths of the declared fields that differed; empty for a whole thing that was created or deleted
   */
  wrote(reason: Reason, note: string, fields: readonly string[] = []): void {
    this.noteDone(fields);
    const repaired = fields.filter((field) => this.#repairs.delete(field));
    if (repaired.length > 0) {
      const { kind } = this.key;
      countDrift(this.environment.meter, { kind, action: "corrected", fields: repaired.length });
      this.#tell("DriftCorrected", "the remote side differed and was repaired", repaired);
    }
    this.#tell(reason, note, fields);
  }

  #tell(reason: Reason, note: string, fields: readonly string[]): void {
    this.#changed({ reason, note, fields });
    this.#wrote = true;
    this.#isHeard = true;
    const fullNote = fields.length === 0 ? note : `${note}: ${fields.join(", ")}`;
    this.environment.events.event({ regarding: this.raw, type: "Normal", reason, action: "Reconcile", note: fullNote });
    this.log.debug({ reason, fields }, note);
  }

  /** A condition as it was stored when the run began. */
  conditionBefore(type: ConditionType): Condition | undefined {
    return findCondition(this.#conditionsBefore, type);
  }

  /** Whether something was told by an event: what it was of is then to be in the status, or it would be told again. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Says something of the object, when its condition of that type is news; what follows from a write that this run told of is none. */
  announce(type: "Normal" | "Warning", condition: Announced): void {
    if (type === "Normal" && this.#wrote) return;
    const before = findCondition(this.#conditionsBefore, condition.type);
    if (before?.status === "True" && before.reason === condition.reason && before.message === condition.message) return;
    const { reason, message } = condition;
    this.#isHeard = true;
    this.environment.events.event({ regarding: this.raw, type, reason, action: "Reconcile", note: message });
  }

  /** Says once that the object became Ready; of what was just deployed, the deployment's event said enough. */
  announceReady(): void {
    const ready = this.status.condition("Ready");
    const before = findCondition(this.#conditionsBefore, "Ready");
    if (ready?.status !== "True" || before?.status === "True" || before?.reason === "Deploying") return;
    this.announce("Normal", ready);
  }

  /**
   * Writes the status with what is recorded before a request, and only if nobody changed the object since this run read or wrote it last: the
   * record must rest on what was read (engine.md §4). One that could not be written is taken back, or it would be written without the lock, with
   * what this run tells of its end.
   *
   * @param record puts it into the status; where that changes nothing, nothing is written
   * @throws KubeError Conflict: read again
   */
  async lockStatus(record: () => void): Promise<void> {
    const before = this.status.current;
    record();
    if (this.status.current === before) return;
    try {
      await this.#patchStatus(this.#version);
    } catch (error) {
      this.status.restore(before);
      throw error;
    }
  }

  /**
   * Writes the status as one merge patch, if anything in it changed. An object that was made again under the same name is not given the status of its
   * predecessor: of a patch of a status the apiserver looks at no uid, but at the version, which is read once more where somebody else wrote meanwhile.
   *
   * @throws KubeError Conflict: it is another object now, or is written time and again
   */
  async writeStatus(): Promise<void> {
    let resourceVersion = this.#latest;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#patchStatus(resourceVersion);
      } catch (error) {
        if (!isKubeError(error, "Conflict") || tries === MOST_STATUS_TRIES) throw error;
        const { metadata } = await this.environment.kube.get(this.type, this.key, { signal: this.signal });
        if (metadata.uid !== this.raw.metadata.uid || metadata.resourceVersion === resourceVersion) throw error;
        ({ resourceVersion } = metadata);
      }
    }
  }

  #countLeftOut(): void {
    const { kind } = this.key;
    for (const { list, items } of this.status.leftOut) {
      this.environment.meter
        .counter({
          name: "baas_status_items_left_out_total",
          help: "Items that a status had no room for when it was written, by the list that they were to stand in",
          labels: ["kind", "list"],
        })
        .increment({ kind, list }, items);
      this.log.warn({ list, items }, "the status has no room for all");
    }
  }

  async #patchStatus(resourceVersion: string): Promise<void> {
    const status = this.status.patch();
    if (status === undefined) return;
    this.#countLeftOut();
    const written = await this.environment.kube.patchMerge(
      this.type,
      this.key,
      { metadata: { resourceVersion }, status },
      { subresource: "status", fieldManager: FIELD_MANAGER, signal: this.signal },
    );
    this.status.written();
    this.#latest = written.metadata.resourceVersion;
    // What was written over what this run has not read leaves a version that it has not read either.
    if (resourceVersion === this.#version) this.#version = this.#latest;
  }
}
