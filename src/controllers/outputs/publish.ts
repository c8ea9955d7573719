import { asError } from "../../base/error-facts.ts";
import { BINDING_ENTRIES } from "../../resources/outputs/spec.ts";
import { classify } from "../../runtime/outcome.ts";
import { endOf, unlessPassing } from "../shared/attempt.ts";
import type { Run } from "../shared/run.ts";
import type { CommonStatus } from "../shared/status-draft.ts";
import { trackUnderway } from "../shared/underway.ts";
import {
  configMapEntries,
  type DeclaredEntry,
  type OutputSpec,
  rendered,
  secretEntries,
  variablesOf,
} from "./entries.ts";
import { delayed, known } from "./looked.ts";
import { textsOf } from "./made-of.ts";
import { configMapOutput, type OutputKind, secretOutput } from "./output-kind.ts";
import { tellMissing, type WantedEntries, type WantedEntry } from "./plan.ts";
import { type OutputPlace, readFacts, sourcesOf } from "./read.ts";
import { removeOthers } from "./remove.ts";
import { type OutputFacts, valueOf } from "./values.ts";
import { type Owner, type WantedOutput, noteIfDue, type WrittenOutput, writeOutput } from "./write.ts";

/**
 * src/controllers/outputs: the Secret and the ConfigMap that a Project or Branch writes for programs that connect to it: what they hold, whose they
 * are, and when they are written. Nothing remote is ever written here.
 *
 * An output goes with its object, by its ownerReference and whatever the deletionPolicy says: it is a copy of what is known elsewhere, and nobody would
 * keep it in line any more. What is the only copy, a generated password, is another Secret, and stays with what it opens (project/password.ts).
 */

interface PublishingStatus extends CommonStatus {
  readonly binding?: { readonly name: string } | undefined;
  readonly underway?: { readonly operation: string; readonly since: string } | undefined;
}

/** An object that outputs are written for. */
interface Publishing extends Owner {
  readonly spec: OutputSpec & { readonly provisioningTimeout: string };
}

interface DeclaredOutput {
  readonly kind: OutputKind;
  readonly name: string;
  readonly entries: readonly DeclaredEntry[];
  /** entries that are the same for all */
  readonly fixed: Readonly<Record<string, string>>;
}

/** How one output was left. */
interface OutputEnd {
  readonly output: DeclaredOutput;
  readonly written: WrittenOutput | undefined;
  readonly error: Error | undefined;
}

function declaredOutputs({
  writeConnectionSecretToRef: secret,
  writeConnectionConfigMapToRef: configMap,
}: OutputSpec): readonly DeclaredOutput[] {
  const outputs: (DeclaredOutput | undefined)[] = [
    secret && { kind: secretOutput, name: secret.name, entries: secretEntries(secret), fixed: BINDING_ENTRIES },
    configMap && { kind: configMapOutput, name: configMap.name, entries: configMapEntries(configMap), fixed: {} },
  ];
  return outputs.filter((output) => output !== undefined);
}

/**
 * Makes the outputs of an object that is up hold what they are to, each by itself, and takes away those that it asks for no more. Notes in the status
 * what there is to bind to, what is left out, and since when something is awaited.
 *
 * @returns how the run is to end because of them; undefined: nothing is left to do
 */
export async function publishOutputs<Status extends PublishingStatus>(
  run: Run<Status>,
  object: Publishing,
  place: OutputPlace,
): Promise<Error | undefined> {
  try {
    const outputs = declaredOutputs(object.spec);
    const wanted = variablesOf(outputs.flatMap(({ entries }) => entries));
    const { facts, failure } = await readFacts(run, place, wanted);
    const ends: OutputEnd[] = [];
    const made = outputs.map((output): MadeOutput => ({ output, entries: wantedEntries(output, facts, place) }));
    const isAwaiting = made.some(({ entries }) => awaitsAny(entries));
    const { ref, createdAt } = place;
    const described = { ref, createdAt, facts: textsOf(facts, sourcesOf(wanted)), isAwaiting };
    if (failure !== undefined && !place.isUnwell) {
      if (!mayTakeReady(run, failure)) return failure;
      for (const { output, entries } of made) await noteIfDue(run, object, { ...output, entries, ...described });
      return failure;
    }
    for (const one of made) ends.push(await publishOne(run, object, { ...one, ...described }));
    showBinding(run, ends);
    showLeftOut(run, ends);
    const waits = place.isUnwell ? unlessPassing(failure, run.signal) : awaiting(run, object, ends);
    const failed = endOf([...ends.map(({ error }) => error), waits], undefined);
    for (const kind of [secretOutput, configMapOutput]) await removeUnasked(run, object, { kind, ends });
    return failed;
  } catch (error) {
    return asError(error);
  }
}

/** Takes every output of an object away, which has nothing any more that they tell of. @throws as `removeOthers` */
export async function withdrawOutputs<Status extends PublishingStatus>(run: Run<Status>, object: Owner): Promise<void> {
  for (const kind of [secretOutput, configMapOutput]) await removeOthers(run, object, { kind, keep: undefined });
  run.status.bound(undefined);
  run.status.remove("OutputsComplete");
}

/** Whether what is known not to be as it is to be would make another Ready of a failure: not while the run waits for budget or ends, nor where it is none. */
function mayTakeReady<Status extends PublishingStatus>({ status, raw, signal }: Run<Status>, failure: Error): boolean {
  const { kind } = classify(failure, signal);
  if (kind === "rateLimited" || kind === "aborted") return false;
  const ready = status.condition("Ready");
  return ready?.status === "True" && ready.observedGeneration === raw.metadata.generation;
}

interface MadeOutput {
  readonly output: DeclaredOutput;
  readonly entries: WantedEntries;
}

async function publishOne<Status extends PublishingStatus>(
  run: Run<Status>,
  object: Publishing,
  { output, ...rest }: MadeOutput & Omit<WantedOutput, "kind" | "name">,
): Promise<OutputEnd> {
  const { kind, name } = output;
  try {
    const written = await writeOutput(run, object, { kind, name, ...rest });
    return { output, written, error: undefined };
  } catch (error) {
    return { output, written: undefined, error: asError(error) };
  }
}

type Wellness = Pick<OutputPlace, "isUnwell">;

function wantedEntries({ entries, fixed }: DeclaredOutput, facts: OutputFacts, { isUnwell }: Wellness): WantedEntries {
  const nothing = sourcesOf([]);
  return new Map<string, WantedEntry>([
    ...Object.entries(fixed).map(([key, text]) => [key, { looked: known(text), sources: nothing }] as const),
    ...entries.map((entry) => {
      const { looked, sources } = wantedEntry(entry, facts);
      return [entry.key, { looked: isUnwell ? delayed(looked) : looked, sources }] as const;
    }),
  ]);
}

function wantedEntry(entry: DeclaredEntry, facts: OutputFacts): WantedEntry {
  const looked = rendered(entry.value, (variable) => valueOf(variable, facts));
  return { looked, sources: sourcesOf(variablesOf([entry])) };
}

function awaitsAny(entries: WantedEntries): boolean {
  return [...entries.values()].some(({ looked }) => looked.kind === "awaited" || looked.kind === "delayed");
}

/** The Secret that programs can bind to; where the one that is asked for cannot be written, that may be the one before it. */
function showBinding<Status extends PublishingStatus>(run: Run<Status>, ends: readonly OutputEnd[]): void {
  const end = ends.find(({ output }) => output.kind === secretOutput);
  if (end === undefined) return run.status.bound(undefined);
  const { written, output } = end;
  if (written?.present === true) return run.status.bound({ name: output.name });
  const gone = written !== undefined && run.status.current.binding?.name === output.name;
  if (gone) run.status.bound(undefined);
}

/** The condition OutputsComplete: what does not come by itself, and of what is unwell what is delayed: Ready tells of that alone. */
function showLeftOut<Status extends PublishingStatus>(run: Run<Status>, ends: readonly OutputEnd[]): void {
  const troubles = ends.flatMap(({ output, written }) => (written === undefined ? [] : tellOf(output, written)));
  const [first] = troubles;
  if (first === undefined) run.status.remove("OutputsComplete");
  else {
    const message = troubles.map((trouble) => trouble.message).join("; ");
    run.status.set("OutputsComplete", "False", first.reason, message);
  }
}

function tellOf({ kind, name }: DeclaredOutput, { missing, contested }: WrittenOutput) {
  const what = `the ${kind.kind} ${name}`;
  const message = `somebody else keeps changing ${what}, which is put back by drift checks alone`;
  const fights = contested ? [{ reason: "NotConverging" as const, message }] : [];
  const leftOut = missing.filter((entry) => entry.missing.kind !== "awaited");
  const [withheld] = leftOut.flatMap((entry) => (entry.missing.kind === "withheld" ? [entry.missing.reason] : []));
  const reason = withheld ?? (leftOut.length === 0 ? undefined : "OutputsAwaited");
  return reason === undefined
    ? fights
    : [...fights, { reason, message: `not in ${what}, or as it was last: ${tellMissing(leftOut)}` }];
}

/** K-08: what comes by itself is waited for, and Ready says what that is. */
function awaiting<Status extends PublishingStatus>(
  run: Run<Status>,
  { spec }: Publishing,
  ends: readonly OutputEnd[],
): Error | undefined {
  const awaited = ends.flatMap(({ output, written }) => {
    const entries = written?.missing.filter((entry) => entry.missing.kind === "awaited") ?? [];
    return entries.length === 0 ? [] : [`the ${output.kind.kind} ${output.name} awaits ${tellMissing(entries)}`];
  });
  if (awaited.length === 0) {
    run.status.underway(undefined);
    return undefined;
  }
  const message = awaited.join("; ");
  const operation = "AwaitingOutputs";
  return trackUnderway(run, { operation, reason: "OutputsAwaited", message, timeout: spec.provisioningTimeout });
}

interface Unasked {
  readonly kind: OutputKind;
  readonly ends: readonly OutputEnd[];
}

/** What takes the place of another one is there before that goes. */
async function removeUnasked<Status extends PublishingStatus>(
  run: Run<Status>,
  object: Publishing,
  { kind, ends }: Unasked,
): Promise<void> {
  const end = ends.find(({ output }) => output.kind === kind);
  if (end !== undefined && end.written?.present !== true) return;
  await removeOthers(run, object, { kind, keep: end?.output.name });
}
