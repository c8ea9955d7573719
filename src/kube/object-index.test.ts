import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { silentLogger } from "../base/log.ts";
import type { KubeObject } from "../resources/meta.ts";
import { widget } from "../../test/support/kube-server/widgets.ts";
import { ObjectIndex } from "./object-index.ts";

function colorsOf(object: KubeObject): readonly string[] {
  return String(object.metadata.labels?.["colors"] ?? "")
    .split(",")
    .filter((color) => color !== "");
}

function colored(name: string, namespace: string, colors: readonly string[]): KubeObject {
  return widget(name, 1, { namespace, metadata: { labels: { colors: colors.join(",") } } });
}

const name = fc.constantFrom("a", "b", "c");
const namespace = fc.constantFrom("x", "y");
const step = fc.oneof(
  fc.record({ namespace, name, colors: fc.subarray(["red", "green", "blue"]) }),
  fc.record({ namespace, name, colors: fc.constant(undefined) }),
);

describe("ObjectIndex", () => {
  it("finds by every index what a look at all objects would find, after any sequence of changes", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = new ObjectIndex({ color: colorsOf }, silentLogger);
        const model = new Map<string, KubeObject>();
        for (const { namespace: ns, name: id, colors } of steps) {
          if (colors === undefined) {
            index.delete(ns, id);
            model.delete(`${ns}/${id}`);
          } else {
            const object = colored(id, ns, colors);
            index.set(object);
            model.set(`${ns}/${id}`, object);
          }
        }
        const all = [...model.values()];
        expect(index.size).toBe(all.length);
        expect(new Set(index.objects())).toEqual(new Set(all));
        for (const ns of ["x", "y"]) {
          expect(new Set(index.objects(ns))).toEqual(new Set(all.filter((object) => object.metadata.namespace === ns)));
        }
        for (const color of ["red", "green", "blue"]) {
          const expected = all.filter((object) => colorsOf(object).includes(color));
          expect(new Set(index.byIndex("color", color))).toEqual(new Set(expected));
        }
      }),
    );
  });

  it("leaves an object out of the index whose indexer throws, and keeps it otherwise", () => {
    const failing = (): readonly string[] => {
      throw new Error("bad indexer");
    };
    const index = new ObjectIndex({ failing, color: colorsOf }, silentLogger);
    index.set(colored("a", "x", ["red"]));
    expect(index.byIndex("failing", "anything")).toEqual([]);
    expect(index.byIndex("color", "red")).toHaveLength(1);
  });

  it("refuses an index that nobody declared, since it would look empty for ever", () => {
    expect(() => new ObjectIndex({}, silentLogger).byIndex("colour", "red")).toThrow(RangeError);
  });
});
