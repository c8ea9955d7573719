import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { annotations, formatOwnership, type Ownership } from "../../resources/annotations.ts";
import type { ObjectMeta } from "../../resources/meta.ts";
import { recordedFirst, type RecordedRemote, type RecordedStatus, recordedOwnership } from "./ownership.ts";

const ours: Ownership = { ref: "ours", identity: "account", object: "ns/shop", cluster: "cluster" };
const holder = { account: "account", cluster: "cluster" };

function metadata(annotation?: string): ObjectMeta {
  return {
    name: "shop",
    namespace: "ns",
    uid: "uid",
    resourceVersion: "1",
    ...(annotation === undefined ? {} : { annotations: { [annotations.ref]: annotation } }),
  };
}

/** Recorded as this very object's, and the status says so as well. */
const mine: RecordedRemote = { kind: "ours", ref: "ours", id: undefined, account: "account", confirmed: true };

interface Case {
  readonly why: string;
  readonly annotation?: Partial<Ownership> | string;
  readonly status?: RecordedStatus;
  readonly account?: string;
  readonly is: RecordedRemote;
}

const recorded: RecordedStatus = { ref: "ours", recordedFor: "uid", connection: { identity: "account" } };

const cases: readonly Case[] = [
  { why: "nothing recorded", is: { kind: "none" } },
  { why: "annotation and status agree", annotation: {}, status: recorded, is: mine },
  { why: "an annotation in which all matches, and nothing else", annotation: {}, is: { ...mine, confirmed: false } },
  {
    why: "the status speaks of an object that is gone, so that it confirms nothing",
    annotation: {},
    status: { ...recorded, recordedFor: "before" },
    is: { ...mine, confirmed: false },
  },
  {
    why: "the status speaks of another ref, so that it does not confirm this one",
    annotation: { ref: "typed" },
    status: recorded,
    is: { ...mine, ref: "typed", confirmed: false },
  },
  {
    why: "with an id inside the ref",
    annotation: { id: "inside" },
    status: recorded,
    is: { ...mine, id: "inside" },
  },
  {
    why: "a copied manifest: written for another name",
    annotation: { object: "ns/other" },
    is: { kind: "foreign", ref: "ours" },
  },
  {
    why: "a copied manifest: written for another namespace",
    annotation: { object: "other/shop" },
    is: { kind: "foreign", ref: "ours" },
  },
  {
    why: "a backup drilled into another cluster",
    annotation: { cluster: "other" },
    is: { kind: "foreign", ref: "ours" },
  },
  {
    why: "another account's credential now",
    annotation: { identity: "other" },
    is: { kind: "accountChanged", ref: "ours" },
  },
  {
    why: "another account in another cluster is no change of ours",
    annotation: { identity: "other", cluster: "other" },
    is: { kind: "foreign", ref: "ours" },
  },
  { why: "a ref that somebody typed", annotation: "ours", is: { kind: "foreign", ref: undefined } },
  { why: "a record without its members", annotation: '{"ref":"ours"}', is: { kind: "foreign", ref: undefined } },
  {
    why: "whose account it is is not known yet",
    annotation: { identity: "other" },
    account: "",
    is: { ...mine, account: "other", confirmed: false },
  },
  {
    why: "the annotation was dropped, the status is of this object",
    status: recorded,
    is: mine,
  },
  { why: "and has the id", status: { ...recorded, id: "inside" }, is: { ...mine, id: "inside" } },
  {
    why: "a restored backup: the status is of an object that is gone",
    status: { ...recorded, recordedFor: "before" },
    is: { kind: "foreign", ref: "ours" },
  },
  { why: "a status without an owner", status: { ref: "ours" }, is: { kind: "foreign", ref: "ours" } },
  {
    why: "the status was recorded under another account",
    status: { ...recorded, connection: { identity: "other" } },
    is: { kind: "accountChanged", ref: "ours" },
  },
  {
    why: "and whose it is now is not known",
    status: { ...recorded, connection: { identity: "other" } },
    account: "",
    is: { ...mine, account: "other" },
  },
  {
    why: "the annotation decides where both are there",
    annotation: { object: "ns/other" },
    status: recorded,
    is: { kind: "foreign", ref: "ours" },
  },
];

describe("recordedOwnership", () => {
  it.each(cases)("is $is.kind: $why", ({ annotation, status = {}, account = "account", is }) => {
    const text = typeof annotation === "object" ? formatOwnership({ ...ours, ...annotation }) : annotation;
    const who = { ...holder, account: account === "" ? undefined : account };
    expect(recordedOwnership(metadata(text), status, who)).toEqual(is);
  });

  it("takes no record for ours that differs in anything but ref and id", () => {
    const word = fc.constantFrom("account", "cluster", "ns/shop", "other");
    fc.assert(
      fc.property(word, word, word, (identity, object, cluster) => {
        const text = formatOwnership({ ...ours, identity, object, cluster });
        const matches = identity === ours.identity && object === ours.object && cluster === ours.cluster;
        expect(recordedOwnership(metadata(text), {}, holder).kind === "ours").toBe(matches);
      }),
    );
  });

  it("never takes any text for ours that was not recorded", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(recordedOwnership(metadata(text), {}, holder).kind).toBe("foreign");
      }),
    );
  });
});

describe("recordedFirst", () => {
  it.each<Case>([
    { why: "annotation and status agree", annotation: {}, status: recorded, is: mine },
    {
      why: "the annotation names what was gone before, or what somebody typed",
      annotation: { ref: "typed" },
      status: recorded,
      is: mine,
    },
    {
      why: "and that was recorded under another account",
      annotation: { ref: "gone", identity: "other" },
      status: recorded,
      is: mine,
    },
    {
      why: "the status was recorded under another account, and the annotation names another ref",
      annotation: { ref: "gone" },
      status: { ...recorded, connection: { identity: "other" } },
      is: { kind: "accountChanged", ref: "ours" },
    },
    {
      why: "the status speaks of an object that is gone, and comes after the annotation",
      annotation: { ref: "noted" },
      status: { ...recorded, recordedFor: "before" },
      is: { ...mine, ref: "noted", confirmed: false },
    },
    {
      why: "a copied manifest is one, whatever the status says",
      annotation: { object: "ns/other" },
      status: recorded,
      is: { kind: "foreign", ref: "ours" },
    },
  ])("is $is.kind: $why", ({ annotation, status = {}, is }) => {
    const text = typeof annotation === "object" ? formatOwnership({ ...ours, ...annotation }) : annotation;
    expect(recordedFirst(metadata(text), status, holder)).toEqual(is);
  });
});
