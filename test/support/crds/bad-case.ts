import type { KindName, Spec } from "./manifest.ts";
import { least } from "./manifest.ts";

/** Objects that must be refused when they are applied, with the words that say what to write instead. */
export interface BadCase {
  readonly kind: KindName;
  /** Names the object, too; unique per kind. */
  readonly name: string;
  readonly why: string;
  readonly spec: Spec;
  /** A part of the apiserver's message. */
  readonly says: string;
  /** A part of its message to server-side apply, where that differs: it looks at types and sets before anything else. */
  readonly serverSide?: string;
  /** Whether the operator's own reading says the same words; the apiserver's built-in checks have words of their own. */
  readonly inProcess: boolean;
  /** its reading takes it all the same, as what was stored before its form was asked for */
  readonly isStored?: true;
}

export type Short = readonly [name: string, why: string, change: Spec, says: string, serverSide?: string];

/** Cases whose words come from a rule of ours. */
export function ruled(kind: KindName, cases: readonly Short[]): readonly BadCase[] {
  return cases.map(([name, why, change, says, serverSide]) => ({
    kind,
    name,
    why,
    spec: { ...least[kind], ...change },
    says,
    ...(serverSide === undefined ? {} : { serverSide }),
    inProcess: true,
  }));
}

/** Cases of a form that is asked for at apply alone. */
export function atApply(kind: KindName, cases: readonly Short[]): readonly BadCase[] {
  return builtIn(kind, cases).map((item) => ({ ...item, isStored: true }));
}

/** Cases whose words are the apiserver's. */
export function builtIn(kind: KindName, cases: readonly Short[]): readonly BadCase[] {
  return ruled(kind, cases).map((item) => ({ ...item, inProcess: false }));
}

export const duration = "in whole hours, minutes and seconds, such as 90s, 30m, 72h or 1h30m";
export const oneParent = "set exactly one of projectRef and branchRef";
