import { describe, expect, it } from "vitest";
import { readings } from "../../../test/support/runtime/readings.ts";
import { type Meter, silentMeter } from "../../base/meter.ts";
import { Store } from "../../kube/store.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { observeObjects } from "./object-metrics.ts";

/** A project at a version, with conditions as somebody wrote them. */
const project = (name: string, version: number, conditions: unknown) => ({
  apiVersion: "baas.dev/v1alpha1",
  kind: "Project",
  metadata: { name, namespace: "shop", uid: name, resourceVersion: String(version) },
  status: { conditions },
});
const ready = (status: string) => ({ type: "Ready", status, reason: "Any", message: "" });

describe("objects by kind and condition", () => {
  it("follow what changes", () => {
    const { meter, read } = readings();
    const store = new Store({ type: projectKind.type });
    observeObjects(meter, [store]);
    const of = (status: string) => read("baas_object_conditions", { kind: "Project", condition: "Ready", status });
    const source = store.source();
    source.replace([project("a", 1, [ready("True")]), project("b", 2, [ready("Unknown")])], "2");
    expect([read("baas_objects", { kind: "Project" }), of("True"), of("Unknown"), of("False")]).toEqual([2, 1, 1, 0]);
    store.put(project("b", 3, [ready("False"), { ...ready("True"), type: "Stalled" }]));
    expect([of("True"), of("Unknown"), of("False")]).toEqual([1, 0, 1]);
    expect(read("baas_object_conditions", { kind: "Project", condition: "Stalled", status: "True" })).toBe(1);
    source.replace([project("b", 4, [])], "4");
    expect([read("baas_objects", { kind: "Project" }), of("True"), of("False")]).toEqual([1, 0, 0]);
  });

  it("follow the sections of their status, and count none that there is not", () => {
    const { meter, read } = readings();
    const store = new Store({ type: projectKind.type });
    observeObjects(meter, [store]);
    const of = (section: string, state: string) => read("baas_object_sections", { kind: "Project", section, state });
    const told = (version: number, sections: unknown) => ({
      ...project("a", version, []),
      status: { sections },
    });
    const auth = { name: "auth", state: "InSync" };
    const others = [{ name: "own", state: "InSync" }, { name: "storage", state: "Perhaps" }, null];
    store.source().replace([told(1, [auth, { name: "storage", state: "Failed" }, ...others])], "1");
    expect([of("auth", "InSync"), of("storage", "Failed")]).toEqual([1, 1]);
    expect([of("own", "InSync"), of("storage", "Perhaps")]).toEqual([0, 0]);
    store.put(told(2, [{ ...auth, state: "Drifted" }]));
    expect([of("auth", "InSync"), of("auth", "Drifted"), of("storage", "Failed")]).toEqual([0, 1, 0]);
  });

  it.each([
    { what: "no status", conditions: undefined },
    { what: "no list", conditions: "Ready" },
    { what: "a type of somebody's own", conditions: [{ ...ready("True"), type: "x".repeat(300) }] },
    { what: "a status of somebody's own", conditions: [ready("Perhaps")] },
    { what: "no object", conditions: [null, 7] },
  ])("have no labels but ours for $what", ({ conditions }) => {
    const readers: (() => Iterable<unknown>)[] = [];
    const meter: Meter = { ...silentMeter, observableGauge: (_, read) => void readers.push(read) };
    const store = new Store({ type: projectKind.type });
    observeObjects(meter, [store]);
    store.source().replace([project("a", 1, conditions)], "1");
    expect(readers.flatMap((read) => [...read()])).toEqual([{ labels: { kind: "Project" }, value: 1 }]);
  });
});
