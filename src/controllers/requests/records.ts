import { MOST_REQUESTS_OF_A_VERB, type RequestState, requestAnnotation } from "../../resources/requests.ts";
import type { ObjectMeta } from "../../resources/meta.ts";
import type { Recorded } from "./request.ts";

/** The list of requests in a status. Pure. */

/** Longest text that a request is known by; what is well-formed is shorter. */
const LONGEST_REQUEST = 256;

/** The request that an annotation of the object asks for: its value, cut where it is no request anyway. */
export function standing({ annotations = {} }: Pick<ObjectMeta, "annotations">, verb: string): string | undefined {
  return annotations[requestAnnotation(verb)]?.slice(0, LONGEST_REQUEST).toWellFormed();
}

/** Whether nothing of it was ever sent, so that it may be forgotten. */
export function isUnsent({ state }: Pick<Recorded, "state">): boolean {
  return state === ("Waiting" satisfies RequestState);
}

/** A request as it is when nothing of it was sent, whatever was noted before a try that came to nothing. */
export function untried({ sentAt: _, lookedAt: __, before: ___, ...record }: Recorded): Recorded {
  return { ...record, state: "Waiting" satisfies RequestState };
}

/** Whether its outcome is yet to be found. What a later version of the program calls otherwise is over. */
export function isUnderWay({ state }: Pick<Recorded, "state">): boolean {
  const open: readonly string[] = ["Sending", "Running"] satisfies readonly RequestState[];
  return open.includes(state);
}

/** Whether any of them waits for its end. */
export function hasOpen({ requests = [] }: { readonly requests?: readonly Recorded[] | undefined }): boolean {
  return requests.some((record) => isUnderWay(record) || isUnsent(record));
}

export function isSame(one: Pick<Recorded, "verb" | "request">, other: Pick<Recorded, "verb" | "request">): boolean {
  return one.verb === other.verb && one.request === other.request;
}

/** The list with a record in the place of the one of the same request, or at its end. */
export function withRecord(list: readonly Recorded[], record: Recorded): readonly Recorded[] {
  const known = list.some((other) => isSame(other, record));
  return known ? list.map((other) => (isSame(other, record) ? record : other)) : [...list, record];
}

/**
 * The list without what need not be remembered: of each verb the oldest beyond the last ten. What is under way stays, and so does what an annotation
 * still asks for, or it would be carried out again.
 */
export function bounded(list: readonly Recorded[], metadata: Pick<ObjectMeta, "annotations">): readonly Recorded[] {
  return list.filter((record, index) => {
    if (isUnderWay(record) || standing(metadata, record.verb) === record.request) return true;
    const newer = list.slice(index + 1).filter(({ verb }) => verb === record.verb).length;
    return newer < MOST_REQUESTS_OF_A_VERB;
  });
}
