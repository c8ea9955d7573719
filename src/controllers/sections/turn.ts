import type { ObjectMeta } from "../../resources/meta.ts";
import type { RefusedSections } from "../../resources/read-spec.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { clusterNow } from "../shared/cluster-time.ts";
import type { DriftShown } from "../shared/drift.ts";
import type { EffectivePolicies } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";
import type { Session } from "../shared/sessions.ts";
import type { CommonStatus } from "../shared/status-draft.ts";
import { Circumstances, readPlanOnce, type Surroundings } from "./circumstances.ts";
import { digestOf, versionsOf } from "./memory.ts";
import type { Section, SectionAt, SectionFacts, SectionLook, Sections } from "./section.ts";
import { SectionRecords } from "./section-records.ts";
import { SelectedAddons } from "./selected-addons.ts";
import { VainTries } from "./vain-tries.ts";

/** A status that tells of sections. */
export interface SectionedStatus extends CommonStatus, SectionFacts {
  readonly sections?: readonly SectionEntry[] | undefined;
}

/** Whose sections are run. */
export interface SectionTarget {
  readonly object: {
    readonly kind: string;
    readonly metadata: ObjectMeta;
    readonly spec: Sections & { readonly provisioningTimeout: string };
    /** what of the spec is wrong and left out of it, by section */
    readonly refused?: RefusedSections;
  };
  readonly session: Session;
  /** ref of the project or branch */
  readonly ref: string;
  readonly policies: EffectivePolicies;
  readonly surroundings: Surroundings;
  /** what the conditions of drift tell of the object beside its sections */
  readonly others: DriftShown;
}

/** A section that was looked at in this run. */
export interface Looked {
  readonly section: Section;
  /** digest of what is declared */
  readonly declared: string;
  /** digest of what it was made of when it was looked at: what changed since is another one */
  readonly memory: string;
  readonly look: SectionLook;
  /** fields that are refused still and not asked for in this turn */
  readonly withheld: ReadonlySet<string>;
}

/** One run of the sections of one object: what its parts share. */
export interface Turn<Status extends SectionedStatus> {
  readonly run: Run<Status>;
  readonly target: SectionTarget;
  readonly at: SectionAt;
  readonly circumstances: Circumstances;
  readonly records: SectionRecords;
  readonly tries: VainTries;
  /** what the status shows beside the entries */
  readonly facts: SectionFacts[];
  readonly polls: Map<string, number>;
  readonly passing: Set<string>;
  /** sections of whose wait nobody is to be told yet */
  readonly untold: Set<string>;
  /** milliseconds until sections are looked at for which the share of drift checks has no budget now */
  readonly putOff: Map<string, number>;
  /** what ends the run whatever the sections say: no budget, an abort, a bug */
  readonly lost: unknown[];
  /** somebody asked for this look */
  readonly isAsked: boolean;
  /** the spec is another one than was looked at last */
  readonly isEdited: boolean;
}

/** A turn of the sections of one object. @param entries what the status says of them */
export function beginTurn<Status extends SectionedStatus>(
  run: Run<Status>,
  target: SectionTarget,
  entries: readonly SectionEntry[],
): Turn<Status> {
  const { environment, signal, call, key } = run;
  const { session, ref, surroundings, policies } = target;
  const isObserved = policies.managementPolicy.value === "Observe";
  run.check.begin();
  const at: SectionAt = {
    environment,
    session,
    client: session.client,
    kind: target.object.kind,
    ref,
    uid: target.object.metadata.uid,
    namespace: key.namespace,
    call,
    signal,
    answers: run.answers,
    addons: new SelectedAddons({ client: session.client, ref, call }),
    plan: readPlanOnce({ client: session.client, call }, surroundings),
    isObserved,
  };
  return {
    run,
    target,
    at,
    circumstances: new Circumstances(at, surroundings),
    records: new SectionRecords(entries),
    tries: new VainTries(environment.sections, { key, uid: target.object.metadata.uid }),
    facts: [],
    polls: new Map(),
    passing: new Set(),
    untold: new Set(),
    putOff: new Map(),
    lost: [],
    isAsked: run.isAsked,
    isEdited: storedOf(run, "observedGeneration") !== run.raw.metadata.generation,
  };
}

/** A field of the status as it is stored: the run's own says already what this run looks at. */
function storedOf<Status extends SectionedStatus>({ raw: { status } }: Run<Status>, field: string): unknown {
  return typeof status === "object" && status !== null ? Reflect.get(status, field) : undefined;
}

/** Whether somebody asks for this look, or asked for one that the section is owed since. */
export function isAskedFor<Status extends SectionedStatus>({ isAsked, records }: Turn<Status>, name: string): boolean {
  return isAsked || records.was(name)?.owed === true;
}

/** What was about to be deleted and serves is not gone. */
export function noteServing<Status extends SectionedStatus>(
  { records }: Turn<Status>,
  { section: { name }, look: { serving } }: Looked,
): void {
  if (serving !== undefined && records.was(name)?.gone === serving) records.noteGone(name, undefined);
}

/** What was read is shown beside the entries, whatever becomes of the section after that. */
export function tellFacts<Status extends SectionedStatus>({ facts }: Turn<Status>, look: SectionLook): void {
  if (look.facts !== undefined) facts.push(look.facts);
}

/** Wall time by which entries are compared, milliseconds. */
export function now<Status extends SectionedStatus>({ run }: Turn<Status>): number {
  return clusterNow(run.environment);
}

/** Of what is declared, of the versions of what it is made of, and of whether it may be written: what was only observed is not done. */
export function memoryDigest<Status extends SectionedStatus>(
  { run, target }: Turn<Status>,
  section: Section,
  declared: string,
): string {
  const versions = versionsOf(run.environment, run.key.namespace, section.references(target.object.spec));
  return digestOf([declared, versions, target.policies.managementPolicy.value]);
}

/** The section is in sync: until something of it changes, or its drift check is due, it need not be looked at. */
export function noteInSync<Status extends SectionedStatus>(turn: Turn<Status>, { section, memory }: Looked): void {
  const { run, target } = turn;
  const { uid } = target.object.metadata;
  const seen = { uid, digest: memory, lookedAtMs: run.environment.clock.monotonic() };
  run.environment.sections.note(run.key, section.name, seen);
}

/** Whether the platform refuses what is asked for now, and not for a state that passes. */
export async function restsNow<Status extends SectionedStatus>({ target, lost }: Turn<Status>): Promise<boolean> {
  try {
    return await target.surroundings.isAtRest();
  } catch (error) {
    lost.push(error);
    return false;
  }
}
