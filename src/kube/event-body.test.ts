import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { widget } from "../../test/support/kube-server/widgets.ts";
import type { EventInput } from "./event-body.ts";
import { cutToBytes, eventBody, eventKey } from "./event-body.ts";

const reporter = { controller: "baas.dev/operator", instance: "pod-1" };
const happened: EventInput = {
  regarding: widget("w", 7),
  type: "Warning",
  reason: "Conflict",
  action: "Reconcile",
  note: "taken",
};
const once = { count: 1, firstMs: Date.UTC(2026, 0, 1), lastMs: Date.UTC(2026, 0, 1) };

describe("the body of an event", () => {
  it("is what events.k8s.io/v1 wants", () => {
    expect(eventBody(happened, once, { reporter, suffix: "abc" })).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { namespace: "ns", name: "w.abc" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "baas.dev/operator",
      reportingInstance: "pod-1",
      type: "Warning",
      reason: "Conflict",
      action: "Reconcile",
      note: "taken",
      regarding: { apiVersion: "example.dev/v1", kind: "Widget", namespace: "ns", name: "w", uid: "uid-w" },
    });
  });

  it("carries a series from the second time on", () => {
    const body = eventBody(happened, { ...once, count: 3, lastMs: once.lastMs + 1500 }, { reporter, suffix: "abc" });
    expect(body).toMatchObject({ series: { count: 3, lastObservedTime: "2026-01-01T00:00:01.500000Z" } });
  });

  it("lies in default for a cluster-scoped subject, such as a Namespace", () => {
    const regarding = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    expect(eventBody({ ...happened, regarding }, once, { reporter, suffix: "abc" }).metadata).toEqual({
      namespace: "default",
      name: "shop.abc",
    });
  });

  it.each([
    ["system:odd/Name", "system-odd-name.abc", "names of RBAC objects are no names of events"],
    ["x".repeat(253), `${"x".repeat(249)}.abc`, "the longest name leaves room for the suffix"],
    [`${"x".repeat(248)}-y`, `${"x".repeat(248)}.abc`, "no dash before the dot, where a cut may leave one"],
  ])("of %s is called %s: %s", (name, expected) => {
    const regarding = { ...happened.regarding, metadata: { name } };
    expect(eventBody({ ...happened, regarding }, once, { reporter, suffix: "abc" }).metadata.name).toBe(expected);
  });
});

describe("cutToBytes", () => {
  it("fits, is a beginning, and has no broken character, for any text", () => {
    fc.assert(
      fc.property(
        // what stands for a broken character may be in a text by itself
        fc.string({ unit: "grapheme", maxLength: 80 }).filter((text) => !text.includes("\uFFFD")),
        fc.integer({ min: 3, max: 100 }),
        (text, maxBytes) => {
          const cut = cutToBytes(text, maxBytes);
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
          expect(cut).not.toContain("\uFFFD");
          expect(cut === text || text.startsWith(cut.slice(0, -1))).toBe(true);
        },
      ),
    );
  });

  it("counts bytes, as the apiserver does", () => {
    expect(cutToBytes("ä".repeat(600), 1024)).toBe(`${"ä".repeat(510)}…`);
    expect(cutToBytes("a".repeat(1024), 1024)).toBe("a".repeat(1024));
  });
});

describe("eventKey", () => {
  const differences: readonly {
    readonly difference: Partial<EventInput>;
    readonly same: boolean;
    readonly why: string;
  }[] = [
    { difference: { note: "other" }, same: false, why: "another note says something else" },
    { difference: { reason: "Other" }, same: false, why: "another reason" },
    { difference: { regarding: widget("w", 8) }, same: true, why: "another version of the same object" },
    { difference: { regarding: widget("w", 7, { uid: "again" }) }, same: false, why: "another object of the name" },
    { difference: { related: widget("v", 1) }, same: false, why: "something else took part" },
  ];

  it.each(differences)("$why: the same is $same", ({ difference, same }) => {
    expect(eventKey({ ...happened, ...difference }) === eventKey(happened)).toBe(same);
  });
});
