import type { Reason } from "../../resources/conditions.ts";

/** What was found out of something that an output is to tell. */
export type Finding<T> = { readonly kind: "known"; readonly value: T } | Missing;

export type Missing =
  /** comes by itself: nothing is written without it (K-08) */
  | { readonly kind: "awaited"; readonly why: string }
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

export function withheld(reason: Reason, why: string): Missing {
  return { kind: "withheld", reason, why };
}

/** What follows from something, where that is known. */
export function following<T, U>(looked: Finding<T>, next: (value: T) => Finding<U>): Finding<U> {
  return looked.kind === "known" ? next(looked.value) : looked;
}
