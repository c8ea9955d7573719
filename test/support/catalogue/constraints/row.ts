import type { OperationId } from "../../../../src/api/contract/operation-id.ts";

/** A constraint of facts.md §2, or a range of §1: what just passes it and what just does not. */
export interface ConstraintRow {
  /** what the facts say, word for word */
  readonly words: string;
  readonly id: OperationId;
  readonly part: "params" | "query" | "body";
  /** what the part needs beside the field */
  readonly beside?: object;
  /** absent: the part itself is tried */
  readonly field?: string;
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
}

export const REF = "abcdefghijklmnopqrst";
export const UUID = "ce4e2f7e-1111-4222-8333-444455556666";
export const text = (length: number): string => "a".repeat(length);
