import type { DeepReadonly } from "../../resources/kind.ts";
import { partsOfValue } from "../../resources/outputs/spec.ts";
import {
  configMapVariables,
  type OutputVariable,
  serviceKeyVariable,
  usualSecretVariables,
} from "../../resources/outputs/variables.ts";
import type { ProjectSpec } from "../../resources/project/spec.ts";
import { known, type Finding } from "./looked.ts";

/** What the entries of an output are to hold. Pure. */

export type OutputSpec = DeepReadonly<
  Pick<ProjectSpec, "writeConnectionSecretToRef" | "writeConnectionConfigMapToRef">
>;

/** One key with its value as it is written in the spec. */
export interface DeclaredEntry {
  readonly key: string;
  readonly value: string;
}

function holding(variable: OutputVariable): DeclaredEntry {
  return { key: variable, value: `$(${variable})` };
}

function selected(
  keys: DeepReadonly<readonly { key: string; value?: string | undefined }[]>,
): readonly DeclaredEntry[] {
  return keys.map(({ key, value = `$(${key})` }) => ({ key, value }));
}

/** The entries of the Secret that a spec asks for, those of the Service Binding layout aside. */
export function secretEntries({
  keys,
  includeServiceKey,
}: NonNullable<OutputSpec["writeConnectionSecretToRef"]>): readonly DeclaredEntry[] {
  if (keys !== undefined) return selected(keys);
  return [...usualSecretVariables, ...(includeServiceKey ? [serviceKeyVariable] : [])].map(holding);
}

export function configMapEntries({
  keys,
}: NonNullable<OutputSpec["writeConnectionConfigMapToRef"]>): readonly DeclaredEntry[] {
  return keys === undefined ? configMapVariables.map(holding) : selected(keys);
}

/** The variables that entries need. */
export function variablesOf(entries: readonly DeclaredEntry[]): ReadonlySet<OutputVariable> {
  const parts = entries.flatMap(({ value }) => partsOfValue(value));
  return new Set(parts.flatMap((part) => ("variable" in part ? [part.variable] : [])));
}

/** A value with its variables put in; what does not come by itself decides over what is only awaited. */
export function rendered(value: string, valueOf: (variable: OutputVariable) => Finding<string>): Finding<string> {
  const pieces = partsOfValue(value).map((part) => ("variable" in part ? valueOf(part.variable) : known(part.text)));
  const missing = pieces.filter((piece) => piece.kind !== "known");
  const first = missing.find(({ kind }) => kind === "withheld") ?? missing[0];
  if (first !== undefined) return first;
  return known(pieces.map((piece) => (piece.kind === "known" ? piece.value : "")).join(""));
}
