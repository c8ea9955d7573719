import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rendered } from "./entries.ts";
import { awaited, known, type Finding, withheld } from "./looked.ts";
import { type HeldEntries, isInLine, planOutput, tellMissing, type WantedEntries } from "./plan.ts";
import type { OutputSource } from "./read.ts";

const soon = awaited("not yet");
const never = withheld("Forbidden", "no permission");

/** Entries that are all made of the same. */
function wantedOf(
  entries: Readonly<Record<string, Finding<string>>>,
  sources: readonly OutputSource[] = ["login"],
): WantedEntries {
  return new Map(Object.entries(entries).map(([key, looked]) => [key, { looked, sources: new Set(sources) }]));
}

function heldOf(entries: Readonly<Record<string, string>>, isOfRef = true): HeldEntries {
  return { entries: new Map(Object.entries(entries)), isOfRef, changed: new Set() };
}

describe("an output that is not there", () => {
  it("[K-08] is not written before all that comes by itself is there", () => {
    const plan = planOutput(wantedOf({ a: known("1"), b: soon }), undefined, true);
    expect(plan).toMatchObject({ held: true, missing: [{ key: "b" }] });
  });

  it("is written without what does not come, whatever another one awaits", () => {
    const plan = planOutput(wantedOf({ a: known("1"), b: never }), undefined, true);
    expect(plan).toMatchObject({ held: false, put: new Map([["a", "1"]]), missing: [{ key: "b" }] });
  });
});

describe("an output that is there", () => {
  const live = heldOf({ a: "1", b: "1" });
  const changed: HeldEntries = { ...live, changed: new Set<OutputSource>(["login"]) };
  const another = heldOf({ a: "1", b: "1" }, false);

  it.each([
    { why: "[K-08] nothing of it is written while something is awaited", wanted: { a: known("2"), c: soon }, live },
    { why: "[K-08] nor of one of another ref", wanted: { a: known("2"), b: soon }, live: another },
  ])("$why", ({ wanted, live: held }) => {
    expect(planOutput(wantedOf(wanted), held, true).held).toBe(true);
  });

  it("of another ref waits for what the other output awaits, and one of the same ref does not", () => {
    const wanted = wantedOf({ a: known("2"), b: known("2") });
    expect([another, live].map((held) => planOutput(wanted, held, true).held)).toEqual([true, false]);
    expect(planOutput(wanted, another, false).held).toBe(false);
  });

  it.each([
    { why: "what nobody asks for goes", wanted: wantedOf({ a: known("1") }), held: live, put: [], remove: ["b"] },
    {
      why: "what cannot be told now stays",
      wanted: wantedOf({ a: known("1"), b: never }),
      held: live,
      put: [],
      remove: [],
    },
    {
      why: "what cannot be told now stays beside what changed and has nothing in common with it",
      wanted: new Map([...wantedOf({ a: known("2") }), ...wantedOf({ b: never }, ["anon-key"])]),
      held: changed,
      put: ["a"],
      remove: [],
    },
    {
      why: "what cannot be told now goes where what it was made of has changed",
      wanted: new Map([...wantedOf({ a: known("2") }), ...wantedOf({ b: never }, ["poolers", "login"])]),
      held: changed,
      put: ["a"],
      remove: ["b"],
    },
    {
      why: "and where no text beside it tells so",
      wanted: wantedOf({ a: known("1"), b: never }),
      held: changed,
      put: [],
      remove: ["b"],
    },
    {
      why: "what cannot be told now stays where a text beside it is another, and nothing has changed that it was made of",
      wanted: wantedOf({ a: known("2"), b: never }),
      held: live,
      put: ["a"],
      remove: [],
    },
    {
      why: "a key that is new changes nothing of the others",
      wanted: wantedOf({ a: never, b: known("1"), c: known("1") }),
      held: live,
      put: ["c"],
      remove: [],
    },
    {
      why: "of another ref nothing stays that is not known of this one",
      wanted: new Map([...wantedOf({ a: known("1") }), ...wantedOf({ b: never }, ["anon-key"])]),
      held: another,
      put: [],
      remove: ["b"],
    },
  ])("$why", ({ wanted, held, put, remove }) => {
    const plan = planOutput(wanted, held, false);
    expect([[...plan.put.keys()], plan.remove, plan.held]).toEqual([put, remove, false]);
  });

  const names = fc.constantFrom("a", "b", "c", "d");
  const looked = fc.oneof(fc.string().map(known), fc.constant(soon), fc.constant(never));
  const sources = fc.uniqueArray(fc.constantFrom<OutputSource[]>("host", "anon-key", "login", "poolers"));
  const entry = fc.record({ looked, sources: sources.map((all) => new Set(all)) });
  const wanted = fc.dictionary(names, entry).map((all): WantedEntries => new Map(Object.entries(all)));
  const held = fc.record({
    entries: fc.dictionary(names, fc.string()).map((all) => new Map(Object.entries(all))),
    isOfRef: fc.boolean(),
    changed: sources.map((all) => new Set(all)),
  });

  it("needs nothing more once what was planned is written, and holds nothing that was not asked for or is another ref's", () => {
    fc.assert(
      fc.property(wanted, fc.option(held, { nil: undefined }), fc.boolean(), (entries, before, isAwaiting) => {
        const plan = planOutput(entries, before, isAwaiting);
        if (plan.held) return;
        const after = new Map([...(before?.entries ?? []), ...plan.put]);
        for (const key of plan.remove) after.delete(key);
        expect(isInLine(planOutput(entries, { entries: after, isOfRef: true, changed: new Set() }, isAwaiting))).toBe(
          true,
        );
        const strange = [...after.keys()].filter((key) => {
          const { looked: one } = entries.get(key) ?? {};
          return one === undefined || (one.kind !== "known" && before?.isOfRef !== true);
        });
        expect(strange).toEqual([]);
      }),
    );
  });
});

describe("a value", () => {
  const valueOf = (name: string): Finding<string> =>
    name === "password" ? never : name === "anon-key" ? soon : known(`<${name}$&>`);

  it("is its text with what the variables are worth, to the letter", () => {
    expect(rendered("$(host):$(port)", valueOf)).toEqual(known("<host$&>:<port$&>"));
  });

  it("that needs what never comes is not awaited for the rest", () => {
    expect(rendered("$(anon-key)$(password)", valueOf)).toEqual(never);
    expect(rendered("$(anon-key)$(host)", valueOf)).toEqual(soon);
  });
});

it("tells keys by what keeps them away", () => {
  const told = tellMissing([
    { key: "a", missing: soon },
    { key: "b", missing: never },
    { key: "c", missing: soon },
  ]);
  expect(told).toBe("a, c (not yet); b (no permission)");
});
