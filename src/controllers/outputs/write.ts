import { createHash } from "node:crypto";
import type { ObjectMeta } from "../../resources/meta.ts";
import type { Reason } from "../../resources/conditions.ts";
import { clusterNow } from "../shared/cluster-time.ts";
import { terminal, waiting } from "../shared/failures.ts";
import { FIELD_MANAGER } from "../shared/finalizers.ts";
import type { Run } from "../shared/run.ts";
import type { CommonStatus } from "../shared/status-draft.ts";
import { isFormers, uncollected } from "../shared/uncollected.ts";
import {
  type Described,
  isOfRef,
  isOutput,
  isOwnedBy,
  OUTPUT_LABEL,
  OUTPUT_OF,
  REPLACED_VERSION,
  wasOutput,
} from "./marks.ts";
import type { OutputSource } from "./read.ts";
import type { LiveOutput, OutputKind } from "./output-kind.ts";
import { type FactTexts, MADE_OF, madeOfText, markFacts, readMadeOf } from "./made-of.ts";
import {
  type HeldEntries,
  isInLine,
  type MissingEntry,
  type OutputPlan,
  planOutput,
  type WantedEntries,
} from "./plan.ts";

/** Makes one output hold what is wanted, with no write where it does. */

/** The object whose output it is. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

export interface WantedOutput extends Described {
  readonly kind: OutputKind;
  readonly name: string;
  readonly entries: WantedEntries;
  /** what is known now that entries are made of */
  readonly facts: FactTexts;
  /** whether any output of the object awaits something */
  readonly isAwaiting: boolean;
}

/** How an output stands after a run. */
export interface WrittenOutput {
  /** whether it is there */
  readonly present: boolean;
  /** what it does not hold, or holds as it was last */
  readonly missing: readonly MissingEntry[];
  /** somebody else keeps writing it too: it was written in vain */
  readonly contested: boolean;
}

/** The part of an object that the convergence guard watches over here. */
const PART = "outputs";
/** When an output that is under deletion is looked at again at the latest, milliseconds: its end wakes the object. */
const GOING_LOOK_MS = 30_000;

/**
 * @throws TerminalError SecretNotOwned or ConfigMapNotOwned: it exists and is not this object's; OutputBlocked: it is, and cannot be written.
 *   WaitingError OutputsAwaited: it is being deleted; AwaitingCollection: it is a former object's of this name
 */
export async function writeOutput<Status extends CommonStatus>(
  run: Run<Status>,
  owner: Owner,
  wanted: WantedOutput,
): Promise<WrittenOutput> {
  const { kind, name, entries, isAwaiting } = wanted;
  const place = { namespace: run.key.namespace, name };
  const live = await kind.read(run.environment.kube, place, run.signal);
  if (live !== undefined) requireOurs(owner, wanted, { live, nowMs: clusterNow(run.environment) });
  const marks = await marksOf(run, wanted, live?.metadata);
  const plan = planOutput(entries, live && { entries: live.entries, ...marks }, isAwaiting);
  const { missing, held } = plan;
  if (held) return { present: live !== undefined, missing, contested: false };
  const isMarked = live !== undefined && isOutput(live.metadata) && carries(live.metadata, marks.annotations);
  const settled = isMarked && isInLine(plan) && live.surplus.length === 0;
  const difference = settled ? [] : [{ field: kind.field, difference: differenceOf({ plan, marks }, live) }];
  const part = `${PART} ${kind.kind}`;
  const { stuck } = run.environment.convergence.admit(owner, difference, part);
  const [due] = difference;
  const contested = stuck.length > 0;
  // Whoever undoes it at once is not raced; by each drift check it is seen once whether they still do.
  const left = contested && !run.check.isDue(part);
  if (due === undefined || left) return { present: live !== undefined, missing, contested };
  run.noteDue([kind.field]);
  if (live === undefined) await create(run, owner, { wanted, plan, marks });
  else await rewrite(run, wanted, { plan, marks, live });
  run.noteDone([kind.field]);
  run.check.looked(part);
  run.environment.convergence.wrote(owner, due, part);
  return { present: true, missing, contested };
}

/** Notes that an output is to be written, as far as that can be told where not all could be read that it is made of. Writes nothing. */
export async function noteIfDue<Status extends CommonStatus>(
  run: Run<Status>,
  owner: Owner,
  wanted: WantedOutput,
): Promise<void> {
  const { kind, name, entries, isAwaiting } = wanted;
  const told = run.status.condition("OutputsComplete");
  if (told?.reason === ("NotConverging" satisfies Reason)) return; // left as it is
  const live = await kind.read(run.environment.kube, { namespace: run.key.namespace, name }, run.signal);
  const marks = await marksOf(run, wanted, live?.metadata);
  const plan = planOutput(entries, live && { entries: live.entries, ...marks }, isAwaiting);
  const isWhole = live !== undefined && isOurs(owner, live) && isInLine(plan) && live.surplus.length === 0;
  // What it was left without, it may go on without.
  const lacks = told === undefined && [...entries.keys()].some((key) => live?.entries.has(key) !== true);
  if (!plan.held && (!isWhole || lacks)) run.noteDue([kind.field]);
}

function isOurs({ metadata: { uid } }: Owner, { metadata }: LiveOutput): boolean {
  return isOwnedBy(metadata, uid) && wasOutput(metadata) && metadata.deletionTimestamp === undefined;
}

interface Looked {
  readonly live: LiveOutput;
  readonly nowMs: number;
}

/**
 * Whether it was made as an output of this object, which may own others too: its generated password, and what compositions of somebody else's give it.
 */
function requireOurs(owner: Owner, { kind, name }: WantedOutput, { live: { metadata }, nowMs }: Looked): void {
  const { uid } = owner.metadata;
  const what = `the ${kind.kind} ${name}`;
  if (isFormers(owner, metadata)) {
    throw uncollected(owner, { kind: kind.kind, metadata, notOwned: kind.notOwned }, nowMs);
  }
  const owned = isOwnedBy(metadata, uid);
  if (!owned || !wasOutput(metadata)) {
    const [other] = metadata.ownerReferences ?? [];
    const whose = owned || other === undefined ? "was not made for this" : `belongs to the ${other.kind} ${other.name}`;
    const message = `${what} exists and ${whose}, so that it is never written: write another ${kind.field}.name, or delete it`;
    throw terminal(kind.notOwned, message);
  }
  if (metadata.deletionTimestamp !== undefined) {
    throw waiting("OutputsAwaited", `${what} is being deleted and is made again once it is gone`, GOING_LOOK_MS);
  }
}

function requireWritable({ kind, name }: WantedOutput, { otherType, immutable }: LiveOutput): void {
  if (!otherType && !immutable) return;
  const why = otherType ? "is of another type than Service Binding has" : "is immutable";
  throw terminal("OutputBlocked", `the ${kind.kind} ${name} ${why}: delete it, and it is made again`);
}

interface DueOutput {
  readonly wanted: WantedOutput;
  readonly plan: OutputPlan;
  readonly marks: Marks;
}

/** What an output says of itself. */
interface Marks extends Omit<HeldEntries, "entries"> {
  /** that it is to carry */
  readonly annotations: Readonly<Record<string, string>>;
}

/** What entries are made of that are kept as they are: what has changed of it is told as long as they are. */
function delayedSources({ entries }: WantedOutput): ReadonlySet<OutputSource> {
  return new Set(
    [...entries.values()].flatMap(({ looked, sources }) => (looked.kind === "delayed" ? [...sources] : [])),
  );
}

/** Of one that is another's, nothing is compared: none of it stays. */
async function marksOf<Status extends CommonStatus>(
  run: Run<Status>,
  wanted: WantedOutput,
  metadata: ObjectMeta | undefined,
): Promise<Marks> {
  const ofRef = metadata !== undefined && isOfRef(metadata, wanted);
  const before = readMadeOf(ofRef ? metadata : {});
  const sources = new Set([...wanted.entries.values()].flatMap((entry) => [...entry.sources]));
  const { marks, changed } = await markFacts(run, wanted.facts, before);
  const facts = new Map([...marks].filter(([source]) => !changed.has(source) || !delayedSources(wanted).has(source)));
  const annotations = { [OUTPUT_OF]: wanted.ref, [MADE_OF]: madeOfText(before, { facts, sources }) };
  return { isOfRef: ofRef, changed, annotations };
}

function carries({ annotations: found }: ObjectMeta, annotations: Marks["annotations"]): boolean {
  return Object.entries(annotations).every(([name, text]) => found?.[name] === text);
}

/** Somebody may have made one of that name at this very moment: then it is looked at again. */
async function create<Status extends CommonStatus>(
  run: Run<Status>,
  owner: Owner,
  { wanted, plan, marks }: DueOutput,
): Promise<void> {
  const { kind, name } = wanted;
  const { apiVersion, metadata } = owner;
  const ownerReferences = [{ apiVersion, kind: owner.kind, name: metadata.name, uid: metadata.uid, controller: true }];
  const draft = {
    apiVersion: "v1",
    kind: kind.kind,
    metadata: {
      namespace: run.key.namespace,
      name,
      labels: { [OUTPUT_LABEL.name]: OUTPUT_LABEL.value },
      annotations: { ...marks.annotations, [REPLACED_VERSION]: "" },
      ownerReferences,
    },
    ...kind.members,
    data: Object.fromEntries([...plan.put].map(([key, text]) => [key, kind.encode(text)])),
  };
  await run.environment.kube.create(kind.type, draft, { fieldManager: FIELD_MANAGER, signal: run.signal });
  run.wrote("Published", `wrote the ${kind.kind} ${name}`, [...plan.put.keys()]);
}

/** Under an optimistic lock: what is written over is what was looked at. */
async function rewrite<Status extends CommonStatus>(
  run: Run<Status>,
  wanted: WantedOutput,
  { plan, marks, live }: Omit<DueOutput, "wanted"> & { readonly live: LiveOutput },
): Promise<void> {
  requireWritable(wanted, live);
  const { kind, name } = wanted;
  const { uid, resourceVersion } = live.metadata;
  const data = [
    ...[...plan.put].map(([key, text]) => [key, kind.encode(text)] as const),
    ...plan.remove.map((key) => [key, null] as const),
  ];
  const patch = {
    metadata: {
      uid,
      resourceVersion,
      labels: { [OUTPUT_LABEL.name]: OUTPUT_LABEL.value },
      annotations: { ...marks.annotations, [REPLACED_VERSION]: resourceVersion },
    },
    ...Object.fromEntries(live.surplus.map((member) => [member, null])),
    data: Object.fromEntries(data),
  };
  const place = { namespace: run.key.namespace, name };
  await run.environment.kube.patchMerge(kind.type, place, patch, { fieldManager: FIELD_MANAGER, signal: run.signal });
  run.wrote("Published", `wrote the ${kind.kind} ${name}`, [...plan.put.keys(), ...plan.remove]);
}

/** How much of a digest tells one content from another in memory; none of it is shown. */
const DIGEST_LETTERS = 12;

/** What is written over what, so that another rotation or another edit counts anew. */
function differenceOf({ plan, marks }: Omit<DueOutput, "wanted">, live: LiveOutput | undefined): string {
  const { put, remove } = plan;
  return `${digestOf([...put], remove, marks.annotations)} over ${live === undefined ? "none" : digestOf([...live.entries], live.surplus)}`;
}

function digestOf(...content: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, DIGEST_LETTERS);
}
