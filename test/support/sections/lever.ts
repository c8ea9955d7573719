import type { AnyStage } from "./stage.ts";

/** A thing that can be declared, with all that a test needs to see it on the platform and to move it there by hand. */

/** One of two values that mean different things. */
export interface Position {
  /** as the spec has it; undefined: it cannot be declared */
  readonly declared: unknown;
  /** as `seen` shows it */
  readonly seen: unknown;
}

/** What each step asks the platform for, polling apart. */
interface Costs {
  /** an edit that makes it what is declared */
  readonly set: readonly string[];
  /** a look that finds nothing to do */
  readonly look: readonly string[];
  /** a look that takes back what somebody changed */
  readonly repair: readonly string[];
}

export interface Lever {
  /** its path in the spec, as `database.pooler.poolMode` */
  readonly path: string;
  /** what is played of it, where it has several levers */
  readonly way?: string;
  /** name of its section */
  readonly section: string;
  /** what it moves of requests, as `pooler.update pool_mode` */
  readonly moves: readonly string[];
  readonly mine: Position;
  /** what somebody else makes of it */
  readonly theirs: Position;
  readonly costs: Costs;
  /** What the platform has of it. */
  seen(stage: AnyStage): Promise<unknown>;
  isSame(wanted: unknown, seen: unknown): boolean;
  /** Makes it `theirs`, as somebody else would. */
  byHand(stage: AnyStage): Promise<unknown>;
  /** the spec that declares it; default: nothing but its path */
  readonly spec?: (declared: unknown) => object;
  /** path of the field that a repair tells of; default: its own */
  readonly told?: string;
  /** how long the platform takes no other change of it, milliseconds; default: a window of requests */
  readonly restMs?: number;
  /** what has to be there before */
  readonly prepare?: (stage: AnyStage) => Promise<unknown>;
  /** what somebody does once it was written, and what is written then */
  readonly afterwards?: { readonly by: (stage: AnyStage) => Promise<unknown>; readonly writes: readonly string[] };
}

/** `{a: {b: value}}` of `a.b`. */
export function nested(path: string, value: unknown): object {
  return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object; // of at least one name
}
