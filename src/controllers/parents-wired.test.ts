import { describe, expect, it } from "vitest";
import { emptyStores, storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import {
  CHILDREN,
  IN_SHOP,
  nameOf,
  NEW,
  object,
  OLD,
  READY,
  runsInShop,
  shop,
  version,
  SOURCE,
  wokenInShop,
} from "../../test/support/controllers/woken-in-shop.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeObject } from "../resources/meta.ts";
import { keyToString } from "../runtime/key.ts";
import { storeOf } from "./watched-stores.ts";
import { wire } from "./wiring.ts";

describe("a Ready child that never looks for drift", () => {
  it.each(CHILDREN)("looks when its parent stands for another place: $child.kind", ({ child }) => {
    expect(wokenBy(child, NEW)).toEqual(["change"]);
  });

  it.each(CHILDREN)("is left alone by a parent that stands for the same place: $child.kind", ({ child }) => {
    expect(wokenBy(child, OLD)).toEqual([]);
  });

  it.each(CHILDREN)("looks after a start where the other place came meanwhile: $child.kind", ({ plural, child }) => {
    expect(lanesAtStart(plural, child, shop(NEW))).toContain("change");
    expect(lanesAtStart(plural, child, shop(OLD))).not.toContain("change");
  });
});

describe("a Ready child", () => {
  const dying = { deletionTimestamp: "2026-01-01T00:00:00Z" };

  it.each(CHILDREN)("looks once its parent's deletion begins: $child.kind", ({ child }) => {
    expect(wokenInShop([child], (shops) => shops.upsert(version(shop(OLD), "2", dying)))).toEqual([nameOf(child)]);
  });

  it.each(CHILDREN)("is left alone by what else is written to a parent that goes: $child.kind", ({ child }) => {
    const written = wokenInShop([child], (shops) => {
      shops.upsert(version(shop(OLD), "2", dying));
      shops.upsert(version(shop(OLD), "3", dying));
    });
    expect(written).toEqual([nameOf(child)]);
  });

  it.each(CHILDREN)("looks when its parent has gone: $child.kind", ({ child }) => {
    expect(wokenInShop([child], (shops) => shops.remove(version(shop(OLD), "2")))).toEqual([nameOf(child)]);
  });

  it("of a Branch looks when the Project has gone that the Branch is in, and none that lives elsewhere", () => {
    const elsewhere = { projectRef: { name: "other" }, source: SOURCE };
    const inBranch = { branchRef: { name: "preview" }, source: SOURCE };
    const objects = [
      object("Branch", "preview", IN_SHOP, { ref: "b", parentRef: OLD }),
      object("EdgeFunction", "in-preview", inBranch, { ref: "b" }),
      object("EdgeFunction", "elsewhere", elsewhere, { ref: "o" }),
    ];
    const woken = wokenInShop(objects, (shops) => shops.remove(version(shop(OLD), "2")));
    expect(woken).toEqual(["Branch/ns/preview", "EdgeFunction/ns/in-preview"]);
  });
});

describe("a Ready child that a start finds", () => {
  const dying = version(shop(OLD), "1", { deletionTimestamp: "2026-01-01T00:00:00Z" });

  it.each(CHILDREN)("looks where the deletion of its parent had begun: $child.kind", ({ child }) => {
    expect(wokenAtStart([dying, child])).toEqual([nameOf(child)]);
    expect(wokenAtStart([child, dying])).toEqual([nameOf(child)]);
  });

  it.each(CHILDREN)("looks where its parent has gone, once that is known: $child.kind", ({ child }) => {
    expect(wokenAtStart([child])).toEqual([nameOf(child)]);
    expect(wokenAtStart([child], { parentsFirst: true })).toEqual([nameOf(child)]);
  });

  it.each(CHILDREN)("is left alone where its parent is as it was, whoever is seen first: $child.kind", ({ child }) => {
    expect(wokenAtStart([child, shop(OLD)])).toEqual([]);
    expect(wokenAtStart([shop(OLD), child], { parentsFirst: true })).toEqual([]);
  });

  it("looks where its parent says that what it stands for is gone", () => {
    const condition = {
      ...READY,
      type: "Stalled",
      reason: "RemoteMissing",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const missing = { ...shop(OLD), status: { ref: OLD, observedGeneration: 1, conditions: [condition] } };
    const child = object("EdgeFunction", "hello", { ...IN_SHOP, source: SOURCE }, { ref: OLD });
    expect(wokenAtStart([missing, child])).toEqual([nameOf(child)]);
  });

  it("in a Branch looks where the Project of that has gone", () => {
    const objects = [
      object("Branch", "preview", IN_SHOP, { ref: "b", parentRef: OLD }),
      object("EdgeFunction", "in-preview", { branchRef: { name: "preview" }, source: SOURCE }, { ref: "b" }),
    ];
    expect(wokenAtStart(objects).toSorted()).toEqual(["Branch/ns/preview", "EdgeFunction/ns/in-preview"]);
  });

  it("is left alone in a project that no object manages: nothing tells before somebody asks", () => {
    expect(
      wokenAtStart([object("EdgeFunction", "hello", { projectRef: { ref: OLD }, source: SOURCE }, { ref: OLD })]),
    ).toEqual([]);
  });
});

/** Who is asked to run at once when a start shows objects, kind after kind, each once. */
function wokenAtStart(objects: readonly KubeObject[], { parentsFirst = false } = {}): readonly string[] {
  const asked = new Set<string>();
  const stores = emptyStores();
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key, { lane, afterMs }) =>
      void (key.kind !== "Project" && lane === "change" && afterMs === undefined && asked.add(keyToString(key))),
  });
  wire(environment, stores);
  const kinds = [...new Set(objects.map(({ kind }) => kind))];
  const parents = ["Project", "Branch"].filter((kind) => !kinds.includes(kind));
  for (const kind of parentsFirst ? [...parents, ...kinds] : [...kinds, ...parents]) {
    const store = storeOf(stores.ours, kind);
    store.source().replace(
      objects.filter((one) => one.kind === kind),
      "1",
    );
  }
  return [...asked];
}

/** Lanes in which a child is asked to run when its Project, which stood for OLD, stands for that ref. */
function wokenBy(child: KubeObject, ref: string): readonly string[] {
  return runsInShop([child], (shops) => shops.upsert(version(shop(ref), "2"))).map(({ lane }) => lane);
}

/** Lanes in which a child is asked to run when a start shows it, the Project being there. */
function lanesAtStart(plural: string, child: KubeObject, project: KubeObject): readonly string[] {
  const asked: string[] = [];
  const stores = storesWith([project]);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key, { lane }) => void (keyToString(key).startsWith(child.kind) && asked.push(lane)),
  });
  wire(environment, stores);
  asked.length = 0;
  stores.ours
    .find(({ type }) => type.plural === plural)
    ?.source()
    .upsert(child);
  return asked;
}
