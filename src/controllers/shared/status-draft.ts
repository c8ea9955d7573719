import type { ConditionType, Reason } from "../../resources/conditions.ts";
import type { z } from "zod";
import type { BranchStatus } from "../../resources/branch/status.ts";
import type { EdgeFunctionStatus } from "../../resources/edge-function/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { Condition } from "../../resources/meta.ts";
import type { ProjectStatus } from "../../resources/project/status.ts";
import type { SecretStatus } from "../../resources/secret/status.ts";
import type { SectionEntry, SectionFacts } from "../../resources/settings/status.ts";
import type { RequestRecord } from "../../resources/requests.ts";
import { boundedStatus, type LeftOut } from "../../resources/status-bounds.ts";
import {
  type ConditionMoment,
  findCondition,
  removeCondition,
  setCondition,
  sinceStored,
  withDriftAsStored,
} from "./conditions.ts";
import type { ConnectionInUse } from "./sessions.ts";
import { type JsonObject, mergePatch, sameJson, without } from "./merge-patch.ts";

/** What every status has. */
export interface CommonStatus {
  readonly conditions: readonly Condition[];
  readonly observedGeneration: number;
  readonly lastHandledReconcileAt?: string | undefined;
  readonly sections?: readonly SectionEntry[] | undefined;
}

/** A field that is known to be otherwise than it was recorded. */
interface FieldCorrection {
  readonly field: string;
  readonly recorded: unknown;
  readonly known: unknown;
}

/** Fields of a status come from JSON and go to JSON; this is where their type is forgotten for the comparison. */
function asJson(status: object): JsonObject {
  return status as JsonObject; // of our schemas or from the apiserver: plain values, and what is undefined counts as absent
}

function spokenOf({ observedGeneration, lastHandledReconcileAt }: CommonStatus) {
  return { observedGeneration, lastHandledReconcileAt };
}

type StatusField = keyof ProjectStatus | keyof BranchStatus | keyof EdgeFunctionStatus | keyof SecretStatus;

/**
 * What becomes of each field of any kind's status once the object has another remote thing: what tells of the one that it had is forgotten; what tells of the
 * object itself is kept, and so is what the run that finds another one writes, or compares, by itself.
 */
const ONCE_REPLACED: Readonly<Record<StatusField, "forgotten" | "kept"> & Record<keyof SectionFacts, "forgotten">> = {
  state: "forgotten",
  projectState: "forgotten",
  services: "forgotten",
  host: "forgotten",
  underway: "forgotten",
  syncedGeneration: "forgotten",
  sections: "forgotten",
  customHostname: "forgotten",
  networkBans: "forgotten",
  diskAutoscale: "forgotten",
  transfer: "forgotten",
  upgrade: "forgotten",
  conditions: "kept",
  observedGeneration: "kept",
  lastHandledReconcileAt: "kept",
  effective: "kept",
  connection: "kept",
  recordedFor: "kept",
  id: "kept",
  ref: "kept",
  parentRef: "kept",
  name: "kept",
  organization: "kept",
  region: "kept",
  databaseVersion: "kept",
  databasePassword: "kept",
  createdAt: "kept",
  isDefault: "kept",
  persistent: "kept",
  ttl: "kept",
  expiresAt: "kept",
  deletionScheduledAt: "kept",
  binding: "kept",
  requests: "kept",
  requestsFor: "kept",
  spentRequests: "kept",
  intent: "kept",
  slug: "kept",
  version: "kept",
  sourceHash: "kept",
  source: "kept",
  artifact: "kept",
  bundleHash: "kept",
  deployedAt: "kept",
  redeployment: "kept",
  names: "kept",
  sources: "kept",
  valuesMark: "kept",
  environment: "kept",
};

/** Fields of any kind's status that tell of the one remote thing which the object has. */
const NOTHING_KNOWN: Readonly<Record<string, undefined>> = Object.fromEntries(
  Object.entries(ONCE_REPLACED)
    .filter(([, becomes]) => becomes === "forgotten")
    .map(([name]) => [name, undefined]),
);

/**
 * The status of one run: begins as the stored one, collects what the run learns, and is written at the end as one patch, or not at all
 * when nothing changed (engine.md §7).
 */
export class StatusDraft<Status extends CommonStatus> {
  #current: Status;
  #stored: object;
  #storedConditions: readonly Condition[];
  /** of what the stored status speaks */
  #spokenOf: Pick<CommonStatus, "observedGeneration" | "lastHandledReconcileAt">;
  /** what fields go on saying where the run ends before anybody is told of it */
  #untold: object = {};
  readonly #moment: ConditionMoment;
  readonly #schema: z.ZodObject;
  #ignored: readonly string[] = [];
  /** by field: what the status may go on saying in the place of what is known */
  readonly #left = new Map<string, { readonly known: unknown; readonly recorded: unknown }>();

  /**
   * @param parsed the stored status as its schema reads it
   * @param stored the stored status as it is, unknown fields included
   * @param at.schema of the kind's status: how long its lists may be
   */
  constructor(
    parsed: Status,
    stored: object,
    { schema, ...moment }: ConditionMoment & { readonly schema: z.ZodObject },
  ) {
    this.#schema = schema;
    this.#current = parsed;
    this.#stored = stored;
    this.#storedConditions = parsed.conditions;
    this.#spokenOf = spokenOf(parsed);
    this.#moment = moment;
  }

  get current(): Status {
    return this.#current;
  }

  /** Sets fields; undefined removes one. */
  update(changes: { readonly [Name in keyof Status]?: Status[Name] | undefined }): void {
    this.#current = { ...this.#current, ...changes };
  }

  /** A field may go on saying what was recorded in the place of what is known: that alone is not worth a write. */
  leave({ field, recorded, known }: FieldCorrection): void {
    this.#left.set(field, { known, recorded });
  }

  /**
   * Of which version of a Secret or ConfigMap a field tells is not worth a write by itself, where what was made of it is the same: another one may have
   * other labels alone.
   *
   * @param member what tells the version, at any depth
   */
  leaveVersion(field: string, member: "resourceVersion" | "secretResourceVersion"): void {
    const [recorded, known] = [asJson(this.#stored)[field], asJson(this.#current)[field]];
    if (sameJson(without(member, recorded), without(member, known))) this.leave({ field, recorded, known });
  }

  /** Puts what is known into the place of what was recorded and is stored still; no write by itself, either. */
  recall({ field, recorded, known }: FieldCorrection): void {
    if (!sameJson(asJson(this.#stored)[field], recorded)) return;
    this.#current = { ...this.#current, [field]: known };
    this.leave({ field, recorded, known });
  }

  /** Takes back what was changed since then. @param before what was current then */
  restore(before: Status): void {
    this.#current = before;
  }

  /** The generation and the asked-for reconcile that this status speaks of. */
  observed(observedGeneration: number, lastHandledReconcileAt: string | undefined): void {
    this.#current = { ...this.#current, observedGeneration, lastHandledReconcileAt };
  }

  /** Which remote thing the object has. */
  identified(identity: {
    readonly ref: string;
    readonly recordedFor: string;
    readonly connection: ConnectionInUse;
  }): void {
    this.#current = { ...this.#current, ...identity };
  }

  /**
   * The object has another remote thing than before: what was seen of that one, was in force in it or under way, is nothing of this one. What becomes of
   * requests is for `asked`.
   */
  replaced(): void {
    this.#current = { ...this.#current, ...NOTHING_KNOWN };
  }

  /** What is under way remotely, or undefined at rest. */
  underway(underway: { readonly operation: string; readonly since: string } | undefined): void {
    this.#current = { ...this.#current, underway };
  }

  /** What was asked for once by annotations, the uid of the object that this belongs to, and which ids are spent besides, where that is another list. */
  asked({
    requests,
    requestsFor,
    spentRequests = [],
  }: {
    readonly requests: readonly DeepReadonly<RequestRecord>[];
    readonly requestsFor: string;
    readonly spentRequests?: readonly string[];
  }): void {
    const spent = spentRequests.length === 0 ? {} : { spentRequests };
    this.#current = { ...this.#current, requests: requests.length === 0 ? undefined : requests, requestsFor, ...spent };
  }

  /** What is to be shown of sections beside how they stand. */
  facts(facts: object): void {
    this.#current = { ...this.#current, ...facts };
  }

  /** How the sections of the spec stand; undefined where none is declared. */
  sections(sections: readonly SectionEntry[] | undefined): void {
    this.#current = { ...this.#current, sections };
  }

  /** What the sections go on saying where nobody is to be told of the run's end yet; undefined where none says anything. */
  untoldSections(sections: readonly SectionEntry[] | undefined): void {
    this.#untold = { sections };
  }

  /** Nobody is to be told of the run's end yet: of what it spoke of, of drift and of what is doubted the status speaks as before. What else was learned stays. */
  untell(): void {
    const conditions = withDriftAsStored(this.#current.conditions, this.#storedConditions);
    this.#current = { ...this.#current, ...this.#untold, ...this.#spokenOf, conditions };
    const field = "syncedGeneration"; // written with what else there is: the next run finds it out again
    this.leave({ field, recorded: asJson(this.#stored)[field], known: asJson(this.#current)[field] });
  }

  /** Fields that are known to differ and are ignored, in the place of those that were: of this run, and in no field of the status. */
  ignore(fields: readonly string[]): void {
    this.#ignored = fields;
  }

  get ignored(): readonly string[] {
    return this.#ignored;
  }

  /** The Secret that programs can bind to; undefined: none. */
  bound(binding: { readonly name: string } | undefined): void {
    this.#current = { ...this.#current, binding };
  }

  set(type: ConditionType, status: Condition["status"], reason: Reason, message: string): void {
    this.#conditions(setCondition(this.#current.conditions, { type, status, reason, message }, this.#moment));
  }

  remove(type: ConditionType): void {
    this.#conditions(removeCondition(this.#current.conditions, type));
  }

  condition(type: ConditionType): Condition | undefined {
    return findCondition(this.#current.conditions, type);
  }

  /**
   * The merge patch from the stored status to this one, or undefined when they are the same. What its lists cannot hold is not in it: for one item too
   * many the apiserver would refuse all of it.
   */
  patch(): JsonObject | undefined {
    if (this.#left.size > 0 && this.#patchTo({ ...this.#written(), ...this.#asLeft() }) === undefined) return undefined;
    return this.#patchTo(this.#written());
  }

  /** What the patch leaves out. */
  get leftOut(): readonly LeftOut[] {
    return this.#bounded().leftOut;
  }

  /** The stored status is now this one. */
  written(): void {
    this.#stored = this.#bounded().status;
    this.#current = this.#written();
    this.#storedConditions = this.#current.conditions;
    this.#spokenOf = spokenOf(this.#current);
  }

  #patchTo(status: Status): JsonObject | undefined {
    return mergePatch(asJson(this.#stored), asJson(boundedStatus(this.#schema, status).status));
  }

  /** Fields that may go on saying something else, as long as nothing more is known of them. */
  #asLeft(): Readonly<Record<string, unknown>> {
    const current = asJson(this.#current);
    const left = [...this.#left].filter(([field, { known }]) => sameJson(current[field], known));
    return Object.fromEntries(left.map(([field, { recorded }]) => [field, recorded]));
  }

  #written(): Status {
    return { ...this.#current, conditions: sinceStored(this.#storedConditions, this.#current.conditions) };
  }

  #bounded(): ReturnType<typeof boundedStatus> {
    return boundedStatus(this.#schema, this.#written());
  }

  #conditions(conditions: readonly Condition[]): void {
    if (conditions !== this.#current.conditions) this.#current = { ...this.#current, conditions };
  }
}
