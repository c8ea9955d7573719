import { z } from "zod";
import type { Table } from "./table.ts";

/** Failures that a seed or a control call orders, kept in one way whatever they make fail: in which words, and how many more times. */

/** What every kind of them remembers, under its id. */
export const orderedFailureShape = {
  id: z.string(),
  message: z.string(),
  /** how many are still to fail; null: all */
  remaining: z.number().nullable(),
} as const;

interface OrderedFailure {
  readonly id: string;
  readonly remaining: number | null;
}

/** What is said of any of them. @param usual its words where none are said */
export function failureOrderShape(usual: string) {
  return {
    /** null: every time */
    count: z.number().int().min(1).nullable().default(1),
    message: z.string().default(usual),
  } as const;
}

/** What is remembered of one that is ordered. */
export function orderedFailure<T extends { readonly count: number | null }>(id: string, { count, ...said }: T) {
  return { ...said, id, remaining: count };
}

/** The oldest of those that are meant; one of it is used up, so that nothing else gets the same one. */
export function takeFailure<F extends OrderedFailure>(table: Table<F>, isMeant: (one: F) => boolean): F | undefined {
  const found = [...table.values()].find(isMeant);
  if (found === undefined) return undefined;
  const { remaining } = found;
  if (remaining === 1) table.delete(found.id);
  else if (remaining !== null) table.set(found.id, { ...found, remaining: remaining - 1 });
  return found;
}
