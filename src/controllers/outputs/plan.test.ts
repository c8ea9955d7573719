import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rendered } from "./entries.ts";
import { awaited, known, type Looked, withheld } from "./looked.ts";
import { isInLine, planOutput, tellMissing } from "./plan.ts";

const soon = awaited("not yet");
const never = withheld("Forbidden", "no permission");

describe("an output that is not there", () => {
  it("[K-08] is not written before all that comes by itself is there", () => {
    const plan = planOutput(
      new Map([
        ["a", known("1")],
        ["b", soon],
      ]),
      undefined,
    );
    expect(plan).toMatchObject({ held: true, missing: [{ key: "b" }] });
  });

  it("is written without what does not come", () => {
    const plan = planOutput(
      new Map([
        ["a", known("1")],
        ["b", never],
      ]),
      undefined,
    );
    expect(plan).toMatchObject({ held: false, put: new Map([["a", "1"]]), missing: [{ key: "b" }] });
  });
});

describe("an output that is there", () => {
  it.each([
    { why: "what is not known now stays", wanted: [["a", soon]] as const, put: [], remove: ["b"] },
    { why: "what nobody asks for goes", wanted: [["a", known("1")]] as const, put: [], remove: ["b"] },
    {
      why: "what changed is written",
      wanted: [
        ["a", known("2")],
        ["b", never],
      ] as const,
      put: ["a"],
      remove: [],
    },
  ])("$why", ({ wanted, put, remove }) => {
    const plan = planOutput(
      new Map<string, Looked<string>>(wanted),
      new Map([
        ["a", "1"],
        ["b", "1"],
      ]),
    );
    expect([[...plan.put.keys()], plan.remove, plan.held]).toEqual([put, remove, false]);
  });

  const looked = fc.oneof(fc.string().map(known), fc.constant(soon), fc.constant(never));
  const wanted = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), looked).map((all) => new Map(Object.entries(all)));
  const live = fc.option(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.string()), { nil: undefined });

  it("needs nothing more once what was planned is written, and holds nothing that was not asked for", () => {
    fc.assert(
      fc.property(wanted, live, (entries, held) => {
        const before = held === undefined ? undefined : new Map(Object.entries(held));
        const plan = planOutput(entries, before);
        if (plan.held) return;
        const after = new Map([...(before ?? []), ...plan.put]);
        for (const key of plan.remove) after.delete(key);
        expect(isInLine(planOutput(entries, after))).toBe(true);
        expect([...after.keys()].filter((key) => !entries.has(key))).toEqual([]);
      }),
    );
  });
});

describe("a value", () => {
  const valueOf = (name: string): Looked<string> =>
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
