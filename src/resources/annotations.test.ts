import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Ownership } from "./annotations.ts";
import {
  annotations,
  apiGroup,
  finalizers,
  formatOwnership,
  isPaused,
  parseOwnership,
  sameOwner,
} from "./annotations.ts";

const name = fc.string({ minLength: 1 });
const required = { ref: name, identity: name, object: name, cluster: name };
const ownerships: fc.Arbitrary<Ownership> = fc.oneof(fc.record(required), fc.record({ ...required, id: name }));

describe("the annotation baas.dev/ref", () => {
  test("reads back what was written, whatever the names hold", () => {
    fc.assert(
      fc.property(ownerships, (ownership) => {
        expect(parseOwnership(formatOwnership(ownership))).toEqual(ownership);
      }),
    );
  });

  test("is the same text for the same record, in whatever order its members were given", () => {
    const one: Ownership = { ref: "r", identity: "i", object: "o", cluster: "c" };
    const other: Ownership = { cluster: "c", object: "o", identity: "i", ref: "r" };
    expect(formatOwnership(one)).toBe(formatOwnership(other));
  });

  test.each([
    { text: "abcdefghijklmnopqrst", why: "a bare ref that a person typed" },
    { text: "", why: "nothing" },
    { text: "null", why: "JSON that is no record" },
    { text: '{"ref":"abc"}', why: "a record without its owner" },
    { text: '{"ref":"","identity":"i","object":"o","cluster":"c"}', why: "an empty ref" },
    { text: '{"ref":1,"identity":"i","object":"o","cluster":"c"}', why: "a ref that is no text" },
  ])("is no record: $why", ({ text }) => {
    expect(parseOwnership(text)).toBeUndefined();
  });

  test("never throws, whatever stands there", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => parseOwnership(text)).not.toThrow();
      }),
    );
  });

  const ours: Ownership = { ref: "a", id: "1", identity: "user-1", object: "ns/shop", cluster: "k" };
  test.each([
    { change: { ref: "b", id: "2" }, same: true, why: "what is owned may differ" },
    { change: { identity: "user-2" }, same: false, why: "another account" },
    { change: { object: "other/shop" }, same: false, why: "a manifest copied to another namespace" },
    { change: { cluster: "l" }, same: false, why: "a backup restored into another cluster" },
  ])("$why: same owner is $same", ({ change, same }) => {
    expect(sameOwner(ours, { ...ours, ...change })).toBe(same);
  });
});

test("every annotation and finalizer is a qualified name of our group, and none stands for two things", () => {
  const all = [...Object.values(annotations), ...Object.values(finalizers)];
  for (const text of all) expect(text).toMatch(new RegExp(`^${apiGroup}/[a-z][-a-z]{0,62}$`));
  expect(new Set(all).size).toBe(all.length);
});

describe("an object is paused", () => {
  test.each([
    { why: "by the text that says so", given: { [annotations.paused]: "true" }, paused: true },
    { why: "not by another word", given: { [annotations.paused]: "yes" }, paused: false },
    { why: "not by another annotation", given: { "example.org/paused": "true" }, paused: false },
    { why: "not without annotations", given: undefined, paused: false },
  ])("$why", ({ given, paused }) => {
    expect(isPaused({ annotations: given })).toBe(paused);
  });
});
