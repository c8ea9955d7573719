import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { runOf, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { annotations, formatOwnership, type Ownership } from "../../resources/annotations.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import type { BranchObject } from "../environment.ts";
import { effectivePolicies, type InheritablePolicies } from "../shared/policies.ts";
import { KeyedMutex } from "../shared/keyed-mutex.ts";
import { identifyBranch } from "./identity.ts";
import { afterLoss } from "./missing.ts";

const REF = "branchbranchbranchbr";
const ID = "a2f1f0a0-0000-4000-8000-000000000001";
const record: Ownership = { ref: REF, id: ID, identity: "account", object: "ns/preview", cluster: "cluster" };

interface Parts {
  readonly spec?: object;
  readonly status?: object;
  readonly annotation?: Partial<Ownership>;
  readonly recreate?: string;
}

function branch({ spec, status, annotation, recreate }: Parts): {
  readonly raw: KubeObject;
  readonly object: BranchObject;
} {
  const noted = {
    ...(annotation === undefined ? {} : { [annotations.ref]: formatOwnership({ ...record, ...annotation }) }),
    ...(recreate === undefined ? {} : { [annotations.recreate]: recreate }),
  };
  const raw: KubeObject = {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Branch",
    metadata: { name: "preview", namespace: "ns", uid: "uid", resourceVersion: "1", generation: 2, annotations: noted },
    spec: { projectRef: { name: "shop" }, ...spec },
    status: { observedGeneration: 2, conditions: [], ...status },
  };
  const parsed = branchKind.parse(raw);
  if (!parsed.ok) throw new Error(parsed.message);
  return { raw, object: parsed.object };
}

const unmanaged = { projectRef: { ref: "projectprojectprojec" } };
const adopting = { adoptionPolicy: "IfNameMatches" };

describe("identifyBranch", () => {
  it.each<Parts & { readonly why: string; readonly is: string }>([
    { why: "it never had one", is: "new" },
    { why: "recorded for this very object", annotation: {}, is: `recorded ${ID}` },
    { why: "its annotation was dropped", status: { ref: REF, id: ID, recordedFor: "uid" }, is: `recorded ${ID}` },
    { why: "a copied manifest", annotation: { object: "ns/other" }, is: "OwnedElsewhere" },
    {
      why: "a copied manifest that asks for the branch of its name",
      annotation: { object: "ns/other" },
      spec: adopting,
      is: "adopt",
    },
    { why: "another cluster's", annotation: { cluster: "other" }, is: "OwnedElsewhere" },
    {
      why: "another account now, which its Project settles",
      annotation: { identity: "other" },
      status: { ref: REF, id: ID },
      is: `recorded ${ID}`,
    },
    {
      why: "another account now, and nobody settles that",
      annotation: { identity: "other" },
      spec: unmanaged,
      is: "CredentialChanged",
    },
    {
      why: "another account now, and the policy asks for the branch of its name",
      annotation: { identity: "other" },
      spec: { ...unmanaged, ...adopting },
      is: "adopt",
    },
  ])("is $is: $why", ({ why: _why, is, ...parts }) => {
    const identify = (): string => {
      const found = identifyBranch(branch(parts).object, connectionOf("ns"), "cluster");
      return found.kind === "recorded" ? `recorded ${found.identity.id ?? ""}` : found.kind;
    };
    expect(outcomeOf(identify)).toBe(is);
  });
});

function outcomeOf(act: () => string): string {
  try {
    return act();
  } catch (error) {
    return error instanceof TerminalError ? error.reason : String(error);
  }
}

describe("afterLoss", () => {
  it.each<Parts & { readonly why: string; readonly policies?: InheritablePolicies; readonly follows: string }>([
    { why: "nothing in it was meant to last", follows: "recreate" },
    { why: "it was persistent", status: { persistent: true }, follows: "leave" },
    { why: "it is declared persistent", spec: { persistent: true }, follows: "leave" },
    {
      why: "it was persistent, and the user wants another one",
      status: { persistent: true },
      recreate: REF,
      follows: "recreate",
    },
    { why: "the user named another branch", status: { persistent: true }, recreate: "another", follows: "leave" },
    { why: "the default branch stands for the project", status: { isDefault: true }, follows: "leave" },
    { why: "reading alone makes nothing", policies: { managementPolicy: "Observe" }, follows: "leave" },
    { why: "not even when asked", policies: { managementPolicy: "Observe" }, recreate: REF, follows: "leave" },
    {
      why: "drift is only reported",
      policies: { driftPolicy: "Report" },
      status: { syncedGeneration: 2 },
      follows: "leave",
    },
    { why: "drift is ignored", policies: { driftPolicy: "Ignore" }, status: { syncedGeneration: 2 }, follows: "leave" },
    {
      why: "the project was made anew since: that is no drift",
      policies: { driftPolicy: "Ignore" },
      status: { syncedGeneration: 2, parentRef: "formerformerformerfo" },
      follows: "recreate",
    },
    {
      why: "the spec was changed since: that is no drift",
      policies: { driftPolicy: "Report" },
      status: { syncedGeneration: 1 },
      follows: "recreate",
    },
  ])("is to $follows it: $why", ({ why: _why, follows, policies = {}, ...parts }) => {
    const { raw, object } = branch(parts);
    const run = runOf(testEnvironment({ clock: new ManualClock() }), branchKind, raw);
    const effective = effectivePolicies({
      object: policies,
      connection: undefined,
      operator: {},
      deletionPolicy: "Delete",
    });
    const session = connectionOf("ns");
    const place = { session, ref: "projectprojectprojec", projectRef: "projectprojectprojec" };
    const context = { object, place, policies: effective, name: "preview", defaultBranch: new KeyedMutex() };
    expect(afterLoss(run, context, REF).kind).toBe(follows);
  });
});
