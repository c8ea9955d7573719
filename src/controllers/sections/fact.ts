import { TerminalError, TransientError } from "../../runtime/outcome.ts";
import { explain } from "../shared/failures.ts";

/** What a section shows of the platform beside what it declares. That it cannot be read keeps nothing undone: it is told, and the rest goes on. */
export type Fact<T> =
  | { readonly kind: "known"; readonly value: T }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * @param doing as `explain` takes it
 * @throws what ends the whole run and says nothing of this one read: no budget, an abort
 */
export async function factOf<T>(doing: string, read: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { kind: "known", value: await read() };
  } catch (error) {
    const worded = explain(error, doing);
    if (!(worded instanceof TerminalError) && !(worded instanceof TransientError)) throw error;
    return { kind: "unknown", why: worded.message };
  }
}

/** The value; undefined where it is not known. */
export function valueOf<T>(fact: Fact<T> | undefined): T | undefined {
  return fact?.kind === "known" ? fact.value : undefined;
}

/** Why a fact is not known; undefined where it is, or where nobody asked for it. */
export function whyUnknown(fact: Fact<unknown> | undefined): string | undefined {
  return fact?.kind === "unknown" ? fact.why : undefined;
}
