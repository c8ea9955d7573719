import { expect, test } from "vitest";
import { branchKind } from "./branch/kind.ts";
import { connectionKind } from "./connection/kind.ts";
import { edgeFunctionKind } from "./edge-function/kind.ts";
import { projectKind } from "./project/kind.ts";
import { secretKind } from "./secret/kind.ts";

test.each([connectionKind, projectKind, branchKind, edgeFunctionKind, secretKind])(
  "a new $type.kind is not mistaken for one that was looked at (engine.md §7)",
  (kind) => {
    const metadata = { name: "new", uid: "u", resourceVersion: "1" };
    const object = { apiVersion: "baas.dev/v1alpha1", kind: kind.type.kind, metadata };
    expect(kind.parseStatus(object)).toMatchObject({ observedGeneration: -1 });
  },
);
