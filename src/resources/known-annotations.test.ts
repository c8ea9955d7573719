import { expect, test } from "vitest";
import { annotations } from "./annotations.ts";
import { annotationsOf, ignoredAnnotations } from "./known-annotations.ts";
import { kinds } from "./kinds.ts";
import { branchVerbs, projectVerbs, requestAnnotation } from "./requests.ts";

const verbs = [...Object.keys(projectVerbs), ...Object.keys(branchVerbs)].map((verb) => requestAnnotation(verb));

test("every annotation that there is does something on some kind of ours, and no kind takes another", () => {
  const taken = new Set(kinds.flatMap(({ type }) => annotationsOf(type.kind)));
  expect(taken).toEqual(new Set([...Object.values(annotations), ...verbs]));
});

test.each(kinds.map(({ type, description }) => ({ kind: type.kind, description })))(
  "what kubectl explain offers for $kind is what it takes",
  ({ kind, description }) => {
    const offered = description.match(/baas\.dev\/[a-z-]+/gu) ?? [];
    // What the operator writes is nothing to be set by hand.
    const settable = annotationsOf(kind).filter((name) => name !== annotations.ref);
    expect(new Set(offered)).toEqual(new Set(settable));
  },
);

const kindNames = kinds.map(({ type }) => type.kind);

test.each(kindNames)("what does something on a %s, or is not ours, is not among what does nothing", (kind) => {
  const names = [...annotationsOf(kind), "example.com/restrat", "team.baas.dev/restrat", "kubectl.kubernetes.io/x"];
  expect(ignoredAnnotations(kind, Object.fromEntries(names.map((name) => [name, "1"])))).toEqual([]);
});

test.each(kindNames)("what is mistyped, or of another kind, does nothing on a %s", (kind) => {
  const others = kindNames
    .flatMap((other) => annotationsOf(other))
    .filter((name) => !annotationsOf(kind).includes(name));
  const names = [...new Set([...others, "baas.dev/restrat", "baas.dev/"])].toSorted();
  expect(ignoredAnnotations(kind, Object.fromEntries(names.map((name) => [name, ""])))).toEqual(names);
});

test("several come in the order of the alphabet, so that the words stay when the order does not", () => {
  expect(ignoredAnnotations("Project", { "baas.dev/z": "", "baas.dev/a": "" })).toEqual(["baas.dev/a", "baas.dev/z"]);
  expect(ignoredAnnotations("Project", undefined)).toEqual([]);
});
