import { expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { rival } from "../../test/support/controllers/rival.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { annotations } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import { storeOf } from "./watched-stores.ts";
import { wire } from "./wiring.ts";

/** What is on record for an object counts whether it can be read or not, and so does its letting go of that (ADR 4). */

const REF = "abcdefghijklmnopqrst";
const acme = { organization: "acme" };
const source = { inline: { files: { "index.ts": "1" } } };
const NOTED = {
  [annotations.ref]: JSON.stringify({ ref: REF, identity: "somebody", object: "ns/owner", cluster: "c" }),
};

it.each<{
  readonly what: string;
  readonly of: KubeObject;
  readonly before: readonly [object, object?, object?];
  readonly now: readonly [object, object?];
}>([
  {
    what: "can be read and is noted for it no more",
    of: rival("Project", "loser", { ...acme, ref: REF }),
    before: [acme, {}, NOTED],
    now: [acme],
  },
  {
    what: "cannot be read and has another project",
    of: rival("Project", "loser", { ...acme, ref: REF }),
    before: [{}, { ref: REF, recordedFor: "owner" }],
    now: [{}, { ref: "tsrqponmlkjihgfedcba", recordedFor: "owner" }],
  },
  {
    what: "cannot be read and has its branch no more",
    of: rival("Branch", "loser", { projectRef: { ref: REF }, name: "preview" }),
    before: [{}, { name: "preview", recordedFor: "owner", parentRef: REF }],
    now: [{}],
  },
  {
    what: "cannot be read and has its function no more",
    of: rival("EdgeFunction", "loser", { projectRef: { ref: REF }, slug: "hello", source }),
    before: [{}, { slug: "hello", recordedFor: "owner", ref: REF }],
    now: [{}],
  },
  {
    what: "cannot be read and has its project no more",
    of: rival("Project", "loser", { ...acme, name: "shop" }),
    before: [{}, { organization: "acme", name: "shop", recordedFor: "owner", ref: REF }],
    now: [{}],
  },
  {
    what: "can be read no more",
    of: rival("Project", "loser", { ...acme, name: "shop" }),
    before: [{ ...acme, name: "shop" }],
    now: [{}],
  },
])("an object that $what wakes who lost to it", ({ of, before, now }) => {
  const { kind } = of;
  const owner = ([spec, status, noted = {}]: typeof before, version: number): KubeObject => {
    const made = rival(kind, "owner", spec, status);
    return {
      ...made,
      metadata: { ...made.metadata, annotations: { ...noted }, resourceVersion: `${version}`, generation: version },
    };
  };
  const asked: string[] = [];
  const stores = storesWith([of, owner(before, 1)]);
  wire(testEnvironment({ clock: new ManualClock(), stores, onEnqueue: ({ name }) => void asked.push(name) }), stores);
  asked.length = 0;
  storeOf(stores.ours, kind).source().upsert(owner(now, 2));
  expect(asked.filter((name) => name === "loser")).toHaveLength(1);
});

it.each([
  { what: "cannot be read", spec: {} },
  {
    what: "names a Project that is not there",
    spec: { projectRef: { name: "gone" }, from: [{ secretRef: { name: "values" } }] },
  },
])("a Secret object that $what wakes who lost a name to it when it goes, or has another place", ({ spec }) => {
  const asked: string[] = [];
  const from = [{ secretRef: { name: "values" } }];
  const lost = [{ projectRef: { ref: REF } }, { projectRef: { ref: "tsrqponmlkjihgfedcba" } }];
  const losers = lost.map((place, index) => rival("Secret", `loser-${index}`, { ...place, from }));
  const holder = rival("Secret", "holder", spec, { names: ["A"], ref: REF, recordedFor: "holder" });
  const stores = storesWith([...losers, holder]);
  wire(testEnvironment({ clock: new ManualClock(), stores, onEnqueue: ({ name }) => void asked.push(name) }), stores);
  const woken = (act: () => void): readonly string[] => {
    asked.length = 0;
    act();
    return asked.filter((name) => name.startsWith("loser"));
  };
  const source = storeOf(stores.ours, "Secret").source();
  const moved = rival("Secret", "holder", spec, { names: ["A"], ref: "tsrqponmlkjihgfedcba", recordedFor: "holder" });
  const now = { ...moved, metadata: { ...moved.metadata, resourceVersion: "2" } };
  expect(woken(() => source.upsert(now))).toEqual(["loser-0"]);
  expect(woken(() => source.remove(now))).toEqual(["loser-1"]);
});
