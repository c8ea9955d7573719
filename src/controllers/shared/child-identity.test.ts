import { describe, expect, it } from "vitest";
import { annotations, formatOwnership } from "../../resources/annotations.ts";
import { type ChildObject, ownsInPlace, recordedPlace } from "./child-identity.ts";
import type { ParentPlace } from "./parents.ts";

const HERE = "aaaaaaaaaaaaaaaaaaaa";
const ELSEWHERE = "bbbbbbbbbbbbbbbbbbbb";
const cluster = "cluster-1";

/** Only the account of the session is looked at. */
const place = { ref: HERE, projectRef: HERE, session: { account: "me" } } as unknown as ParentPlace;

interface Given {
  readonly annotation?: Partial<Parameters<typeof formatOwnership>[0]>;
  readonly status?: ChildObject["status"];
  readonly adopt?: boolean;
  readonly managed?: boolean;
}

function child({ annotation, status = {}, adopt = false, managed = true }: Given): ChildObject {
  const ownership = { ref: HERE, id: "hello", identity: "me", object: "shop/hello", cluster, ...annotation };
  return {
    kind: "EdgeFunction",
    metadata: {
      namespace: "shop",
      name: "hello",
      uid: "uid-1",
      resourceVersion: "1",
      ...(annotation === undefined ? {} : { annotations: { [annotations.ref]: formatOwnership(ownership) } }),
    },
    spec: { projectRef: managed ? { name: "shop" } : { ref: HERE }, adoptionPolicy: adopt ? "IfNameMatches" : "Never" },
    status,
  };
}

const byStatus = { ref: HERE, recordedFor: "uid-1", connection: { identity: "me" } };

describe("ownsInPlace", () => {
  it.each<{ why: string; given: Given; owns: boolean }>([
    { why: "a new object owns nothing", given: {}, owns: false },
    { why: "its annotation says so", given: { annotation: {} }, owns: true },
    { why: "the status alone says so, as before the first answer", given: { status: byStatus }, owns: true },
    {
      why: "the status was another object's: a restored backup",
      given: { status: { ...byStatus, recordedFor: "uid-0" } },
      owns: false,
    },
    { why: "its parent has another project now", given: { annotation: { ref: ELSEWHERE } }, owns: false },
    {
      why: "its parent has another project now, in which it has begun already",
      given: { annotation: { ref: ELSEWHERE }, status: byStatus },
      owns: true,
    },
    { why: "its Project goes on under another account", given: { annotation: { identity: "before" } }, owns: true },
    {
      why: "another account reaches the unmanaged project, and it may take over what is there",
      given: { annotation: { identity: "before" }, managed: false, adopt: true },
      owns: false,
    },
    {
      why: "a copied manifest may take over what is there",
      given: { annotation: { object: "other/hello" }, adopt: true },
      owns: false,
    },
  ])("$why: $owns", ({ given, owns }) => {
    expect(ownsInPlace(child(given), place, cluster)).toBe(owns);
  });

  it.each<{ why: string; given: Given; reason: string }>([
    { why: "a copied manifest", given: { annotation: { object: "other/hello" } }, reason: "OwnedElsewhere" },
    {
      why: "a backup drilled into a second cluster",
      given: { annotation: { cluster: "cluster-2" } },
      reason: "OwnedElsewhere",
    },
    {
      why: "another account's token at an unmanaged project",
      given: { annotation: { identity: "before" }, managed: false },
      reason: "CredentialChanged",
    },
  ])("stops at $why", ({ given, reason }) => {
    expect(() => ownsInPlace(child(given), place, cluster)).toThrow(
      expect.objectContaining({ code: "TERMINAL", reason }),
    );
  });
});

describe("recordedPlace", () => {
  it.each<{ why: string; given: Given; found: ReturnType<typeof recordedPlace> }>([
    { why: "nothing was recorded", given: {}, found: undefined },
    {
      why: "the annotation is its own, whatever the account, and may have been typed",
      given: { annotation: { identity: "before" } },
      found: { ref: HERE, confirmed: false },
    },
    { why: "the status is its own", given: { status: byStatus }, found: { ref: HERE, confirmed: true } },
    {
      why: "the place of the status is the newer one",
      given: { annotation: { ref: ELSEWHERE }, status: byStatus },
      found: { ref: HERE, confirmed: true },
    },
    {
      why: "the annotation is another object's",
      given: { annotation: { object: "other/hello" }, status: byStatus },
      found: undefined,
    },
    {
      why: "the status is another object's",
      given: { annotation: {}, status: { ...byStatus, recordedFor: "uid-0", ref: ELSEWHERE } },
      found: { ref: HERE, confirmed: false },
    },
  ])("$why", ({ given, found }) => {
    const { metadata, status } = child(given);
    expect(recordedPlace(metadata, status, cluster)).toEqual(found);
  });
});
