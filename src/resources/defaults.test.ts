import { describe, expect, test } from "vitest";
import { branchKind } from "./branch/kind.ts";
import { edgeFunctionKind } from "./edge-function/kind.ts";
import { projectKind } from "./project/kind.ts";
import { secretKind } from "./secret/kind.ts";

/** What an object does that says nothing of it, as engine.md §5 and §6 promise it: whoever changes a default here changes what becomes of data. */

const metadata = { name: "shop", namespace: "ns", uid: "u-1", resourceVersion: "7", generation: 1 };
const projectRef = { name: "shop" };

const rows = [
  { kind: projectKind, spec: { organization: "acme" }, deletionPolicy: "Retain" },
  // Of a Branch it hangs on whether it is persistent, which the spec alone does not tell (branch-retention.test.ts).
  { kind: branchKind, spec: { projectRef }, deletionPolicy: undefined },
  {
    kind: edgeFunctionKind,
    spec: { projectRef, source: { inline: { files: { "index.ts": "" } } } },
    deletionPolicy: "Delete",
  },
  { kind: secretKind, spec: { projectRef, from: [{ secretRef: { name: "values" } }] }, deletionPolicy: "Delete" },
].map((row) => ({ ...row, name: row.kind.type.kind }));

describe("an object that sets no policy", () => {
  test.each(rows)("has those of its kind, and leaves the inheritable ones to its connection: $name", (row) => {
    const { kind, name, spec, deletionPolicy } = row;
    const result = kind.parse({ apiVersion: "baas.dev/v1alpha1", kind: name, metadata, spec });
    expect(result.ok ? [] : result.issues).toEqual([]);
    if (!result.ok) return;
    const { driftPolicy, managementPolicy, driftInterval, adoptionPolicy, ...rest } = result.object.spec;
    expect([driftPolicy, managementPolicy, driftInterval]).toEqual([undefined, undefined, undefined]);
    expect({ adoptionPolicy, deletionPolicy: rest.deletionPolicy }).toEqual({
      adoptionPolicy: "Never",
      deletionPolicy,
    });
    expect([rest.provisioningTimeout, rest.deletionTimeout]).toEqual(["30m", "15m"]);
  });
});
