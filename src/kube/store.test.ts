import { describe, expect, it } from "vitest";
import type { Logger } from "../base/log.ts";
import { silentLogger } from "../base/log.ts";
import type { KubeObject } from "../resources/meta.ts";
import { widget, widgetType } from "../../test/support/kube-server/widgets.ts";
import { Store } from "./store.ts";
import type { StoreHandler } from "./store.ts";

/** Writes down what it is told: "added a@1". */
function recorder(): { readonly told: string[]; readonly handler: StoreHandler } {
  const told: string[] = [];
  const name = ({ metadata }: KubeObject): string => `${metadata.name}@${metadata.resourceVersion}`;
  const handler: StoreHandler = {
    added: (object) => void told.push(`added ${name(object)}`),
    updated: (previous, object) => void told.push(`updated ${name(previous)} to ${name(object)}`),
    deleted: (object) => void told.push(`deleted ${name(object)}`),
  };
  return { told, handler };
}

function setUp() {
  const store = new Store({ type: widgetType, indexers: { color: (object) => [colorOf(object)] } });
  const source = store.source();
  const { told, handler } = recorder();
  store.addHandler(handler);
  return { store, source, told };
}

function colorOf(object: KubeObject): string {
  const { spec } = object;
  return typeof spec === "object" && spec !== null && "color" in spec ? String(spec.color) : "";
}

function versionOf(store: Store, name: string): string | undefined {
  return store.get("ns", name)?.metadata.resourceVersion;
}

describe("a store", () => {
  it("follows lists and events, and tells handlers of each version once", () => {
    const { store, source, told } = setUp();
    source.replace([widget("a", 1), widget("b", 2)], "2");
    source.upsert(widget("a", 3));
    source.upsert(widget("c", 4));
    source.remove(widget("b", 5));
    source.upsert(widget("a", 3));
    expect(told).toEqual(["added a@1", "added b@2", "updated a@1 to a@3", "added c@4", "deleted b@5"]);
    expect(store.list().map((object) => object.metadata.name)).toEqual(["a", "c"]);
  });

  it.each([
    { why: "the apiserver says that it is the same", generation: 7, shared: true },
    { why: "it is another one", generation: 8, shared: false },
    { why: "nothing tells", generation: undefined, shared: false },
    { why: "it is another object", generation: 7, uid: "again", shared: false },
  ])("keeps the spec of an object from version to version: $shared, as $why", ({ generation, uid = "uid", shared }) => {
    const { store, source } = setUp();
    const version = (resourceVersion: string, more: object) => {
      const metadata = { namespace: "ns", name: "a", uid: "uid", generation: 7, resourceVersion, ...more };
      return {
        apiVersion: "example.dev/v1",
        kind: "Widget",
        metadata,
        spec: { color: "red" },
        status: resourceVersion,
      };
    };
    source.replace([version("1", {})], "1");
    const before = store.get("ns", "a")?.["spec"];
    source.upsert(version("2", { generation, uid }));
    const now = store.get("ns", "a");
    expect(now).toMatchObject({ spec: { color: "red" }, status: "2" });
    expect(now?.["spec"] === before).toBe(shared);
  });

  it("takes the spec of a restored backup, whatever generation that tells", () => {
    const { store, source } = setUp();
    const metadata = { namespace: "ns", name: "a", uid: "uid", generation: 7 };
    const version = (resourceVersion: string, color: string) => {
      const object = { apiVersion: "example.dev/v1", kind: "Widget", spec: { color } };
      return { ...object, metadata: { ...metadata, resourceVersion } };
    };
    source.replace([version("90", "red")], "90");
    source.replace([version("40", "blue")], "40", { rewound: true });
    expect(store.get("ns", "a")?.["spec"]).toEqual({ color: "blue" });
  });

  it("finds deletions and changes in a later list", () => {
    const { source, told } = setUp();
    source.replace([widget("a", 1), widget("b", 2), widget("c", 3)], "3");
    told.length = 0;
    source.replace([widget("b", 2), widget("c", 5), widget("d", 6)], "6");
    expect(told).toEqual(["deleted a@1", "updated c@3 to c@5", "added d@6"]);
  });

  it("shows handlers the store as it is after the whole list", () => {
    const { store, source } = setUp();
    const sizes: number[] = [];
    store.addHandler({
      added: () => void sizes.push(store.size),
      updated: () => undefined,
      deleted: () => undefined,
    });
    source.replace([widget("a", 1), widget("b", 2)], "2");
    expect(sizes).toEqual([2, 2]);
    expect(store.hasSynced).toBe(true);
  });

  it("keeps its indexes in step", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 1, { color: "red" })], "1");
    source.upsert(widget("a", 2, { color: "blue" }));
    expect(store.byIndex("color", "red")).toEqual([]);
    expect(store.byIndex("color", "blue")).toHaveLength(1);
  });

  it("tells a handler that comes late of everything there is, and one that left of nothing", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 1)], "1");
    const { told, handler } = recorder();
    const leave = store.addHandler(handler);
    expect(told).toEqual(["added a@1"]);
    leave();
    source.upsert(widget("a", 2));
    expect(told).toEqual(["added a@1"]);
  });

  it("logs a handler that throws, and still tells the others", () => {
    const logged: string[] = [];
    const log: Logger = { ...silentLogger, error: (_, message) => void logged.push(message), child: () => log };
    const store = new Store({ type: widgetType, log });
    const fail = (): never => {
      throw new Error("broken handler");
    };
    store.addHandler({ added: fail, updated: fail, deleted: fail });
    const { told, handler } = recorder();
    store.addHandler(handler);
    store.source().replace([widget("a", 1)], "1");
    expect(told).toEqual(["added a@1"]);
    expect(logged).toEqual(["a store handler failed"]);
  });

  it("shows an object made again under its name as deleted, then added", () => {
    const { source, told } = setUp();
    source.replace([widget("a", 1, { uid: "first" })], "1");
    source.upsert(widget("a", 4, { uid: "second" }));
    expect(told).toEqual(["added a@1", "deleted a@1", "added a@4"]);
  });

  it("is in sync when every namespace is, and each list deletes in its own alone", () => {
    const store = new Store({ type: widgetType });
    const [one, two] = [store.source("one"), store.source("two")];
    one.replace([widget("a", 1, { namespace: "one" })], "1");
    expect(store.hasSynced).toBe(false);
    two.replace([widget("a", 2, { namespace: "two", uid: "other" })], "2");
    expect(store.hasSynced).toBe(true);
    one.replace([], "3");
    expect(store.list().map((object) => object.metadata.namespace)).toEqual(["two"]);
  });

  it("is not in sync without any source", () => {
    expect(new Store({ type: widgetType }).hasSynced).toBe(false);
  });
});

describe("an own write", () => {
  it("shows at once, and neither an older event nor an older list undoes it", () => {
    const { store, source, told } = setUp();
    source.replace([widget("a", 1)], "1");
    store.put(widget("a", 5));
    source.upsert(widget("a", 3));
    expect(versionOf(store, "a")).toBe("5");
    source.upsert(widget("a", 5));
    source.replace([widget("a", 4)], "4");
    expect(versionOf(store, "a")).toBe("5");
    expect(told).toEqual(["added a@1", "updated a@1 to a@5"]);
  });

  it("stays through a list that was taken before it created its object", () => {
    const { store, source } = setUp();
    source.replace([], "1");
    store.put(widget("new", 5));
    source.replace([], "4");
    expect(versionOf(store, "new")).toBe("5");
    source.replace([], "6");
    expect(versionOf(store, "new")).toBeUndefined();
  });

  it("does not undo what others did since", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 1)], "1");
    source.upsert(widget("a", 7));
    store.put(widget("a", 5));
    expect(versionOf(store, "a")).toBe("7");
  });

  it("does not bring back what was deleted before its answer came", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 1)], "1");
    source.remove(widget("a", 6));
    store.put(widget("a", 5));
    expect(versionOf(store, "a")).toBeUndefined();
  });

  it("does not bring back what was made and deleted without being seen", () => {
    const { store, source } = setUp();
    source.replace([], "1");
    source.advance("9");
    store.put(widget("short-lived", 5));
    expect(store.size).toBe(0);
  });

  it("is kept before the first list", () => {
    const { store } = setUp();
    store.put(widget("a", 5));
    expect(versionOf(store, "a")).toBe("5");
  });

  it("outside of all watched namespaces is not kept, since nothing would ever correct it", () => {
    const store = new Store({ type: widgetType });
    store.source("one");
    store.put(widget("a", 5, { namespace: "two" }));
    expect(store.size).toBe(0);
  });
});

describe("an own deletion", () => {
  it("shows at once, and late events of the object do not bring it back", () => {
    const { store, source, told } = setUp();
    source.replace([widget("a", 1)], "1");
    store.noteDeleted("ns", "a", "uid-a");
    source.upsert(widget("a", 3));
    expect(versionOf(store, "a")).toBeUndefined();
    source.remove(widget("a", 4));
    expect(told).toEqual(["added a@1", "deleted a@1"]);
  });

  it("leaves another object of the name alone", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 8, { uid: "second" })], "8");
    store.noteDeleted("ns", "a", "first");
    expect(versionOf(store, "a")).toBe("8");
  });

  it("lets an object be made again", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 1, { uid: "first" })], "1");
    store.noteDeleted("ns", "a");
    store.put(widget("a", 5, { uid: "second" }));
    source.remove(widget("a", 4, { uid: "first" }));
    expect(versionOf(store, "a")).toBe("5");
  });
});

describe("a DELETED event", () => {
  it("of an object that a selector no longer selects does not keep it out when it is selected again", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 1)], "1");
    source.remove(widget("a", 3));
    source.upsert(widget("a", 5));
    expect(versionOf(store, "a")).toBe("5");
  });

  it("takes an older object of the name along whose own end was missed", () => {
    const { store, source } = setUp();
    source.replace([widget("a", 1, { uid: "first" })], "1");
    source.remove(widget("a", 9, { uid: "second" }));
    expect(store.size).toBe(0);
  });
});

describe("a server whose history was rewound", () => {
  it("is believed, whatever is stored", () => {
    const { store, source, told } = setUp();
    source.replace([widget("a", 100), widget("b", 101)], "101");
    source.remove(widget("c", 105));
    told.length = 0;
    source.replace([widget("a", 50), widget("c", 51)], "60", { rewound: true });
    expect(told).toEqual(["deleted b@101", "updated a@100 to a@50", "added c@51"]);
    expect(versionOf(store, "c")).toBe("51");
  });
});

describe("an absent kind", () => {
  it("is in sync and empty, and what was stored is told as deleted", () => {
    const { store, source, told } = setUp();
    source.replace([widget("a", 1)], "1");
    source.absent();
    expect(told).toEqual(["added a@1", "deleted a@1"]);
    expect(store.hasSynced).toBe(true);
  });
});

describe("opaque resourceVersions", () => {
  it("can only be equal: the same is ignored, another one is taken", () => {
    const { store, source, told } = setUp();
    source.replace([widget("a", "x1")], "l1");
    source.upsert(widget("a", "x1"));
    source.upsert(widget("a", "x0"));
    expect(told).toEqual(["added a@x1", "updated a@x1 to a@x0"]);
    source.remove(widget("a", "x9"));
    expect(store.size).toBe(0);
  });
});

describe("a metadata-only store", () => {
  it("keeps no value of a Secret, whatever it is given", () => {
    const store = new Store({ type: widgetType, metadataOnly: true });
    store.source().replace([], "1");
    store.put({ ...widget("s", 5), data: { password: "aHVudGVyMg==" } });
    expect(JSON.stringify(store.list())).not.toContain("aHVudGVyMg==");
    expect(versionOf(store, "s")).toBe("5");
  });
});
