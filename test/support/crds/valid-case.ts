import type { KindName, Spec } from "./manifest.ts";

/** An object that must be accepted. */
export interface ValidCase {
  readonly kind: KindName;
  readonly name: string;
  readonly why: string;
  readonly spec: Spec;
}
