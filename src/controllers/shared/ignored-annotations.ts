import { near } from "../../base/near.ts";
import { apiGroup } from "../../resources/annotations.ts";
import { annotationsOf, ignoredAnnotations, knownAnnotations } from "../../resources/known-annotations.ts";
import type { Run } from "./run.ts";
import type { CommonStatus } from "./status-draft.ts";

/**
 * What an object's author is told of annotations of ours that do nothing there: in the condition AnnotationIgnored, which makes no Ready False, and in an
 * event when that is news.
 */

/** Why an annotation does nothing, with the name that may have been meant. */
export function ignoredInWords(kind: string, name: string): string {
  const takers = [...knownAnnotations].filter(([, names]) => names.includes(name)).map(([taker]) => taker);
  if (takers.length > 0) return `${name} does nothing here: it is for objects of kind ${takers.join(" or ")}`;
  const taken = annotationsOf(kind);
  const word = (annotation: string): string => annotation.slice(apiGroup.length + 1);
  const [meant] = near(word(name), taken.map(word));
  const instead = meant === undefined ? `known are ${taken.join(", ")}` : `did you mean ${apiGroup}/${meant}?`;
  return `${name} is not known and does nothing: ${instead}`;
}

/** Tells of those that stand on the run's object. */
export function tellIgnoredAnnotations<Status extends CommonStatus>(run: Run<Status>): void {
  const { kind } = run.type;
  const names = ignoredAnnotations(kind, run.raw.metadata.annotations);
  if (names.length === 0) {
    run.status.remove("AnnotationIgnored");
    return;
  }
  const message = names.map((name) => ignoredInWords(kind, name)).join("; ");
  run.status.set("AnnotationIgnored", "True", "AnnotationIgnored", message);
  const condition = run.status.condition("AnnotationIgnored");
  if (condition !== undefined) run.announce("Warning", condition);
}
