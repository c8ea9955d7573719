import { describe, expect, it } from "vitest";
import { emptyStores, storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import {
  nameOf,
  NEW,
  object,
  OLD,
  READY,
  runsInShop,
  shop,
  version,
  wokenByVersions,
  wokenInShop,
} from "../../test/support/controllers/woken-in-shop.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeObject } from "../resources/meta.ts";
import { keyToString } from "../runtime/key.ts";
import { storeOf } from "./watched-stores.ts";
import { wire } from "./wiring.ts";

const inShop = { projectRef: { name: "shop" } };
const source = { inline: { files: { "index.ts": "1" } } };
const children = [
  {
    plural: "branches",
    child: object("Branch", "preview", { ...inShop, driftPolicy: "Ignore" }, { ref: "b", parentRef: OLD }),
  },
  {
    plural: "edgefunctions",
    child: object("EdgeFunction", "hello", { ...inShop, source, driftPolicy: "Ignore" }, { ref: OLD }),
  },
  {
    plural: "secrets",
    child: object(
      "Secret",
      "env",
      { ...inShop, from: [{ secretRef: { name: "v" } }], driftPolicy: "Ignore" },
      { ref: OLD },
    ),
  },
];

describe("a Ready child that never looks for drift", () => {
  it.each(children)("looks when its parent stands for another place: $child.kind", ({ child }) => {
    expect(wokenBy(child, NEW)).toEqual(["change"]);
  });

  it.each(children)("is left alone by a parent that stands for the same place: $child.kind", ({ child }) => {
    expect(wokenBy(child, OLD)).toEqual([]);
  });

  it.each(children)("looks after a start where the other place came meanwhile: $child.kind", ({ plural, child }) => {
    expect(lanesAtStart(plural, child, shop(NEW))).toContain("change");
    expect(lanesAtStart(plural, child, shop(OLD))).not.toContain("change");
  });
});

describe("a Ready child", () => {
  const dying = { deletionTimestamp: "2026-01-01T00:00:00Z" };

  it.each(children)("looks once its parent's deletion begins: $child.kind", ({ child }) => {
    expect(wokenInShop([child], (shops) => shops.upsert(version(shop(OLD), "2", dying)))).toEqual([nameOf(child)]);
  });

  it.each(children)("is left alone by what else is written to a parent that goes: $child.kind", ({ child }) => {
    const written = wokenInShop([child], (shops) => {
      shops.upsert(version(shop(OLD), "2", dying));
      shops.upsert(version(shop(OLD), "3", dying));
    });
    expect(written).toEqual([nameOf(child)]);
  });

  it.each(children)("looks when its parent has gone: $child.kind", ({ child }) => {
    expect(wokenInShop([child], (shops) => shops.remove(version(shop(OLD), "2")))).toEqual([nameOf(child)]);
  });

  it("of a Branch looks when the Project has gone that the Branch is in, and none that lives elsewhere", () => {
    const elsewhere = { projectRef: { name: "other" }, source };
    const inBranch = { branchRef: { name: "preview" }, source };
    const objects = [
      object("Branch", "preview", inShop, { ref: "b", parentRef: OLD }),
      object("EdgeFunction", "in-preview", inBranch, { ref: "b" }),
      object("EdgeFunction", "elsewhere", elsewhere, { ref: "o" }),
    ];
    const woken = wokenInShop(objects, (shops) => shops.remove(version(shop(OLD), "2")));
    expect(woken).toEqual(["Branch/ns/preview", "EdgeFunction/ns/in-preview"]);
  });
});

describe("a child that was refused, or waits", () => {
  const refusing = ({ status, ...rest }: KubeObject): KubeObject => {
    const says = { ...READY, reason: "Rejected", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const conditions = [
      { ...says, status: "False" },
      { ...says, type: "Stalled" },
    ];
    return { ...rest, status: { ...(status as object), conditions } };
  };
  const up = { ...shop(OLD), status: { ...(shop(OLD)["status"] as object), state: "ACTIVE_HEALTHY" } };
  const unready = (object: KubeObject): KubeObject => {
    const conditions = [{ ...READY, status: "Unknown", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    return { ...object, status: { ...(object["status"] as object), conditions } };
  };
  const saying = (status: object): KubeObject => ({ ...up, status: { ...up.status, ...status } });
  const section = (state: string, applied?: string): object => ({ sections: [{ name: "addons", state, applied }] });
  const left = (state: string, more: object): object => ({ sections: [{ name: "addons", state, ...more }] });
  const effective = Object.fromEntries(
    [
      ["driftPolicy", "Correct"],
      ["managementPolicy", "Observe"],
      ["driftInterval", "10m"],
      ["deletionPolicy", "Retain"],
    ].map(([name = "", value]) => [name, { value, origin: "Object" }]),
  );
  const observed = (status: object): KubeObject => saying({ effective, ...status });
  const request = (state: string): object => ({
    requests: [{ verb: "allow-writes", id: "1", request: "1", state }],
  });
  const edited = version(up, "1", { generation: 2 });
  const carriedOut = (status: string): KubeObject => {
    const conditions = [{ ...READY, status, observedGeneration: 2, lastTransitionTime: "2026-01-01T00:00:00Z" }];
    return version(saying({ observedGeneration: 2, conditions }), "2", { generation: 2 });
  };
  const moved = { kind: "Connection", name: "other", identity: "i", server: "s" };

  it.each([
    { why: "it has another label", before: up, now: version(up, "2", { labels: { a: "b" } }) },
    { why: "it has another annotation", before: up, now: version(up, "2", { annotations: { a: "b" } }) },
    { why: "it answers a reconcile that was asked for", before: up, now: saying({ lastHandledReconcileAt: "1" }) },
    { why: "it lists what it outputs", before: up, now: saying({ outputs: { keys: ["a"] } }) },
    { why: "a section drifts", before: saying(section("InSync")), now: saying(section("Drifted")) },
    { why: "a look at a section fails", before: saying(section("InSync", "a")), now: saying(section("Waiting", "a")) },
    { why: "it passes again", before: saying(section("Waiting", "a")), now: saying(section("InSync", "a")) },
    {
      why: "it passes again after what nobody repeats",
      before: refusing(saying(left("Failed", { applied: "a", fields: ["spec.addons"] }))),
      now: saying(section("InSync", "a")),
    },
    {
      why: "it passes again of what is only observed",
      before: observed(left("Waiting", { fields: ["spec.addons"] })),
      now: observed(section("InSync")),
    },
    { why: "a section is written", before: saying(section("Failed")), now: saying(section("Applying")) },
    { why: "a request is sent", before: saying(request("Sending")), now: saying(request("Running")) },
    { why: "nothing is done of a request", before: up, now: saying(request("Ignored")) },
  ])("is left alone by its parent where $why", ({ before, now }) => {
    for (const { child } of children) {
      expect(wokenByVersions(refusing(child), before, version(now, "2", now.metadata))).toEqual([]);
    }
  });

  it.each([
    { why: "it is Ready now", before: unready(up), now: up },
    { why: "it is in another state", before: up, now: saying({ state: "COMING_UP" }) },
    { why: "it stands for another project", before: up, now: saying({ ref: NEW }) },
    { why: "it is recorded for this very object", before: saying({ recordedFor: "another" }), now: up },
    { why: "its edit is carried out, and it was Ready all along", before: edited, now: carriedOut("True") },
    { why: "its edit is refused, and it was not Ready before", before: unready(edited), now: carriedOut("False") },
    {
      why: "what drifted in a section and could not be written was",
      before: saying(left("Waiting", { applied: "a", fields: ["spec.addons.ipv4"] })),
      now: saying(section("InSync", "a")),
    },
    {
      why: "what was sent of a section came into force, though no answer came",
      before: saying(left("Waiting", { applied: "a", sending: "a", fields: ["spec.addons"] })),
      now: saying(section("InSync", "a")),
    },
    {
      why: "a section that is only observed drifts no more",
      before: observed(section("Drifted")),
      now: observed(section("InSync")),
    },
    {
      why: "what was ignored in a section is as declared",
      before: saying(left("InSync", { applied: "a", left: { ignored: ["spec.addons.ipv4"] } })),
      now: saying(section("InSync", "a")),
    },
    { why: "a section is in sync now", before: saying(section("Applying")), now: saying(section("InSync")) },
    {
      why: "a section that waited is as it was edited to be",
      before: saying(section("Waiting", "a")),
      now: saying(section("InSync", "b")),
    },
    {
      why: "a section that waited is in sync for the first time",
      before: saying(section("Waiting")),
      now: saying(section("InSync", "a")),
    },
    { why: "a request is done", before: saying(request("Running")), now: saying(request("Succeeded")) },
    { why: "a request may be done", before: saying(request("Sending")), now: saying(request("Unknown")) },
    { why: "it was edited", before: up, now: version(up, "2", { generation: 2 }) },
    { why: "it goes", before: up, now: version(up, "2", { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    { why: "it is reached through another connection", before: up, now: saying({ connection: moved }) },
  ])("is woken by its parent where $why", ({ before, now }) => {
    for (const { child } of children) {
      expect(wokenByVersions(refusing(child), before, version(now, "2", now.metadata))).toContain(nameOf(child));
    }
  });

  it("in a Branch is woken by the Project, whatever the Branch says of it", () => {
    const inBranch = refusing(
      object("EdgeFunction", "in-preview", { branchRef: { name: "preview" }, source }, { ref: "b" }),
    );
    const preview = object("Branch", "preview", inShop, { ref: "b", parentRef: OLD });
    const woken = wokenByVersions([inBranch, preview], saying({ state: "PAUSED" }), version(up, "2"));
    expect(woken).toEqual(["EdgeFunction/ns/in-preview"]);
  });
});

describe("a Ready child that a start finds", () => {
  const dying = version(shop(OLD), "1", { deletionTimestamp: "2026-01-01T00:00:00Z" });

  it.each(children)("looks where the deletion of its parent had begun: $child.kind", ({ child }) => {
    expect(wokenAtStart([dying, child])).toEqual([nameOf(child)]);
    expect(wokenAtStart([child, dying])).toEqual([nameOf(child)]);
  });

  it.each(children)("looks where its parent has gone, once that is known: $child.kind", ({ child }) => {
    expect(wokenAtStart([child])).toEqual([nameOf(child)]);
    expect(wokenAtStart([child], { parentsFirst: true })).toEqual([nameOf(child)]);
  });

  it.each(children)("is left alone where its parent is as it was, whoever is seen first: $child.kind", ({ child }) => {
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
    const child = object("EdgeFunction", "hello", { ...inShop, source }, { ref: OLD });
    expect(wokenAtStart([missing, child])).toEqual([nameOf(child)]);
  });

  it("in a Branch looks where the Project of that has gone", () => {
    const objects = [
      object("Branch", "preview", inShop, { ref: "b", parentRef: OLD }),
      object("EdgeFunction", "in-preview", { branchRef: { name: "preview" }, source }, { ref: "b" }),
    ];
    expect(wokenAtStart(objects).toSorted()).toEqual(["Branch/ns/preview", "EdgeFunction/ns/in-preview"]);
  });

  it("is left alone in a project that no object manages: nothing tells before somebody asks", () => {
    expect(wokenAtStart([object("EdgeFunction", "hello", { projectRef: { ref: OLD }, source }, { ref: OLD })])).toEqual(
      [],
    );
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
