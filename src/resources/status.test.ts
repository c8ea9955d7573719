import { expect, test } from "vitest";
import { kinds } from "./kinds.ts";

test.each(kinds)("a new $type.kind is not mistaken for one that was looked at (engine.md §7)", (kind) => {
  const metadata = { name: "new", uid: "u", resourceVersion: "1" };
  const object = { apiVersion: "baas.dev/v1alpha1", kind: kind.type.kind, metadata };
  expect(kind.parseStatus(object)).toMatchObject({ observedGeneration: -1 });
});
