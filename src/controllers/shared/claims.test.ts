import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TerminalError, WaitingError } from "../../runtime/outcome.ts";
import { type Asker, type Claimant, isOwner, ownerOf, requireClaim, requireName } from "./claims.ts";

function claimant(uid: string, created: string, recorded = false): Claimant {
  return {
    kind: "Project",
    metadata: { name: `object-${uid}`, namespace: "ns", uid, resourceVersion: "1", creationTimestamp: created },
    status: recorded ? { recordedFor: uid } : {},
  };
}

const early = "2026-01-01T00:00:00Z";
const late = "2026-01-02T00:00:00Z";

describe("ownerOf", () => {
  it.each<{ readonly why: string; readonly claimants: readonly Claimant[]; readonly owner: string | undefined }>([
    { why: "nobody claims it", claimants: [], owner: undefined },
    { why: "the oldest goes first", claimants: [claimant("b", late), claimant("a", early)], owner: "a" },
    { why: "the uid decides between equal times", claimants: [claimant("b", early), claimant("a", early)], owner: "a" },
    {
      why: "an owner of record goes before an older one that merely asks",
      claimants: [claimant("a", early), claimant("b", late, true)],
      owner: "b",
    },
    {
      why: "of two owners of record the older one",
      claimants: [claimant("b", late, true), claimant("a", early, true)],
      owner: "a",
    },
    {
      why: "of two owners of record the one that can act on it, which took it over while nobody saw what the other has",
      claimants: [claimant("b", late, true), { ...claimant("a", early, true), isIdle: true }],
      owner: "b",
    },
    {
      why: "of two that merely ask the older one, whether it can act or not",
      claimants: [{ ...claimant("a", early), isIdle: true }, claimant("b", late)],
      owner: "a",
    },
    {
      why: "what cannot act has what is recorded for it all the same",
      claimants: [claimant("a", early), { ...claimant("b", late, true), isIdle: true }],
      owner: "b",
    },
    {
      why: "a record for another uid (a restored backup) is none",
      claimants: [claimant("b", early), { ...claimant("a", late), status: { recordedFor: "gone" } }],
      owner: "b",
    },
    {
      why: "an object that is not stored yet has no time: it is the youngest that there is, but sorts first",
      claimants: [claimant("a", early), claimant("b", "")],
      owner: "b",
    },
  ])("is $owner: $why", ({ claimants, owner }) => {
    expect(ownerOf(claimants)?.metadata.uid).toBe(owner);
  });
});

const some = fc
  .uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1 })
  .chain((uids) =>
    fc.tuple(...uids.map((uid) => fc.tuple(fc.constant(uid), fc.constantFrom(early, late), fc.boolean()))),
  )
  .map((parts) => parts.map(([uid, created, recorded]) => claimant(uid, created, recorded)));

function refusal(act: () => void): string | undefined {
  try {
    act();
  } catch (error) {
    return error instanceof TerminalError || error instanceof WaitingError
      ? `${error.reason}: ${error.message}`
      : String(error);
  }
  return undefined;
}

describe("the laws of claims", () => {
  it("every claimant sees the same owner, in whatever order they are listed", () => {
    fc.assert(
      fc.property(
        some.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(ownerOf(shuffled)?.metadata.uid).toBe(ownerOf(all)?.metadata.uid);
        },
      ),
    );
  });

  it("exactly one of the claimants may act, and the others are told whose it is", () => {
    fc.assert(
      fc.property(some, (all) => {
        const owners = all.filter((one) => isOwner(one, all));
        expect(owners).toHaveLength(1);
        const others = all.filter((one) => !owners.includes(one));
        const told = others.map((one) => refusal(() => requireClaim(one, all, "project x")));
        const { name = "" } = owners[0]?.metadata ?? {};
        const words = `Conflict: project x belongs to Project ${name} in namespace ns, and only one object may have it: give this one another name or ref, or delete this one`;
        expect(told).toEqual(others.map(() => words));
      }),
    );
  });

  it("when the owner goes, one of the others owns it", () => {
    fc.assert(
      fc.property(some, (all) => {
        const rest = all.filter((one) => !isOwner(one, all));
        expect(rest.filter((one) => isOwner(one, rest))).toHaveLength(Math.min(1, rest.length));
      }),
    );
  });
});

describe("an object that lost to another", () => {
  it("looks again by itself, should nobody wake it", () => {
    const claimant = (uid: string): Claimant => ({
      kind: "Project",
      metadata: { name: uid, namespace: "ns", uid, resourceVersion: "1" },
      status: {},
    });
    expect(() => requireClaim(claimant("b"), [claimant("a"), claimant("b")], "project x")).toThrowError(
      expect.objectContaining({ reason: "Conflict", recheckAfterMs: 600_000 }),
    );
  });
});

describe("a name that an object asked the platform for, of which it knows no answer", () => {
  const asks = (one: Claimant, asked: { readonly name?: string; readonly uid?: string } = {}): Asker => {
    const { name = "x", uid = one.metadata.uid } = asked;
    return { ...one, status: { ...one.status, intent: { name, uid, fingerprint: "f", time: early } } };
  };
  const older = claimant("b", early);
  const younger = claimant("a", late);
  const told = (object: Claimant, declaring: readonly Asker[], asking: readonly Asker[], isInDoubt = true) =>
    refusal(() =>
      requireName(object, { declaring, asking }, { name: "x", thing: "project x", isInDoubt: () => isInDoubt }),
    );
  const waits =
    "ConfirmingAbsence: project x: Project object-a in namespace ns asked for it and got no answer: waiting until it is known what came of that";

  it.each<{ readonly why: string; readonly asker: Asker; readonly told: string | undefined; readonly inDoubt?: false }>(
    [
      { why: "whatever that one declares now, and however young it is", asker: asks(younger), told: waits },
      { why: "but not for another name", asker: asks(younger, { name: "y" }), told: undefined },
      { why: "but not by an intent of a backup", asker: asks(younger, { uid: "of-the-backup" }), told: undefined },
      { why: "but no longer than its effect may arrive", asker: asks(younger), told: undefined, inDoubt: false },
    ],
  )("is waited for: $why", ({ asker, told: words, inDoubt = true }) => {
    expect(told(older, [older], [older, asker], inDoubt)).toBe(words);
  });

  it("is its own to ask for again, before an older object that merely declares it", () => {
    const asker = asks(younger);
    expect(told(asker, [older, asker], [older, asker])).toBeUndefined();
    expect(told(asker, [older, asker], [older, asker], false)).toContain("Conflict: project x is asked for by");
  });
});

describe("who comes after another one that has a name by no more than its spec", () => {
  const name = { name: "x", thing: "project x", isInDoubt: () => false };
  const later = claimant("b", late);
  const first: Asker = claimant("a", early);
  const told = (other: Asker): string | undefined =>
    refusal(() => requireName(later, { declaring: [other, later], asking: [] }, name));
  const elsewhere = { ...first, metadata: { ...first.metadata, namespace: "another" } };
  const intent = { name: "x", uid: "a", fingerprint: "f", time: early };
  const noted = { ...first.metadata, annotations: { "baas.dev/ref": "some" } };

  it.each<{ readonly why: string; readonly other: Asker; readonly words: string }>([
    {
      why: "with what may be done in its own namespace",
      other: first,
      words:
        "Conflict: project x is asked for by Project object-a in namespace ns, which came first and has not made it yet: " +
        "choose another spec.name here, or see to that one, whose conditions say why, or delete it",
    },
    {
      why: "and of another namespace no more than its name",
      other: elsewhere,
      words:
        "Conflict: project x is asked for by Project object-a in namespace another, which came first and has not made it yet: " +
        "choose another spec.name here",
    },
  ])("is told so: $why", ({ other, words }) => {
    expect(told(other)).toBe(words);
  });

  it.each<{ readonly why: string; readonly other: Asker }>([
    { why: "is on record", other: { ...first, status: { recordedFor: "a" } } },
    { why: "is noted, though its status is lost", other: { ...first, metadata: noted } },
    { why: "asked for it", other: { ...first, status: { intent } } },
  ])("is told that it is that one's where it $why", ({ other }) => {
    expect(told(other)).toContain("Conflict: project x belongs to Project object-a in namespace ns, and only one");
  });
});
