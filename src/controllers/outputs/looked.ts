import type { Reason } from "../../resources/conditions.ts";

/** What was found out of something that an output is to tell. */
export type Finding<T> = { readonly kind: "known"; readonly value: T } | Missing;

export type Missing =
  /** comes by itself: nothing is written without it (K-08) */
  | { readonly kind: "awaited"; readonly why: string }
  /** comes by itself, of what is unwell: an output that is there is written without it, and keeps its text */
  | { readonly kind: "delayed"; readonly why: string }
  /** does not come by itself: the rest is written without it */
  | Withheld;

export interface Withheld {
  readonly kind: "withheld";
  readonly reason: Reason;
  readonly why: string;
}

export function known<T>(value: T): Finding<T> {
  return { kind: "known", value };
}

export function awaited(why: string): Missing {
  return { kind: "awaited", why };
}

/** What is awaited is delayed. */
export function delayed<T>(looked: Finding<T>): Finding<T> {
  return looked.kind === "awaited" ? { kind: "delayed", why: looked.why } : looked;
}

export function withheld(reason: Reason, why: string): Missing {
  return { kind: "withheld", reason, why };
}

/** What follows from something, where that is known. */
export function following<T, U>(looked: Finding<T>, next: (value: T) => Finding<U>): Finding<U> {
  return looked.kind === "known" ? next(looked.value) : looked;
}
