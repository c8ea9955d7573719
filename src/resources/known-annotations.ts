import { annotations, apiGroup } from "./annotations.ts";
import { branchVerbs, projectVerbs, requestAnnotation } from "./requests.ts";

/** Which annotations of ours each kind takes: another one does nothing, and its author waits for it. */

const { paused, reconcileAt, recreate, release, ref } = annotations;

function asked(verbs: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(verbs).map((verb) => requestAnnotation(verb));
}

const anyKind = [paused, reconcileAt];
const withRemote = [...anyKind, release, ref];

/** Kinds, and the annotations that do something on an object of each; what the operator writes is among them. */
export const knownAnnotations: ReadonlyMap<string, readonly string[]> = new Map([
  ["Connection", anyKind],
  ["ClusterConnection", anyKind],
  ["Project", [...withRemote, recreate, ...asked(projectVerbs)]],
  ["Branch", [...withRemote, recreate, ...asked(branchVerbs)]],
  ["EdgeFunction", withRemote],
  ["Secret", withRemote],
]);

/** Those of one kind. None for a kind that is not ours. */
export function annotationsOf(kind: string): readonly string[] {
  return knownAnnotations.get(kind) ?? [];
}

/** Annotations of ours that stand on an object and do nothing there, in the order of the alphabet. */
export function ignoredAnnotations(kind: string, given: Readonly<Record<string, string>> = {}): readonly string[] {
  const taken = annotationsOf(kind);
  return Object.keys(given)
    .filter((name) => name.startsWith(`${apiGroup}/`) && !taken.includes(name))
    .toSorted();
}
