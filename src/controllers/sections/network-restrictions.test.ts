import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalCidr } from "../../resources/settings/cidr.ts";
import { networkRestrictionsSection, planRestrictions, type Restrictions, unentitled } from "./network-restrictions.ts";

function observed(...cidrs: readonly string[]): Restrictions {
  return { cidrs: cidrs.toSorted(), isEntitled: true, isApplied: true };
}

const EVERYWHERE = ["0.0.0.0/0", "::/0"];
const FIELD = "spec.database.networkRestrictions.allowedCidrs";

describe("network restrictions", () => {
  it.each([
    { why: "nothing is declared", declared: {}, there: EVERYWHERE, fields: [] },
    { why: "the very ranges", declared: { allowedCidrs: ["8.8.8.0/24"] }, there: ["8.8.8.0/24"], fields: [] },
    {
      why: "another order",
      declared: { allowedCidrs: ["9.9.9.0/24", "8.8.8.0/24"] },
      there: ["8.8.8.0/24", "9.9.9.0/24"],
      fields: [],
    },
    { why: "host bits", declared: { allowedCidrs: ["8.8.8.8/24"] }, there: ["8.8.8.0/24"], fields: [] },
    { why: "capitals", declared: { allowedCidrs: ["2001:DB8:0::/32"] }, there: ["2001:db8::/32"], fields: [] },
    {
      why: "one range twice",
      declared: { allowedCidrs: ["8.8.8.0/24", "8.8.8.8/24"] },
      there: ["8.8.8.0/24"],
      fields: [],
    },
    {
      why: "[K-21] one more is there",
      declared: { allowedCidrs: ["8.8.8.0/24"] },
      there: ["8.8.8.0/24", "9.9.9.0/24"],
      fields: [FIELD],
    },
    { why: "one is missing", declared: { allowedCidrs: ["8.8.8.0/24"] }, there: [], fields: [FIELD] },
    {
      why: "[K-21] ours is there among others",
      declared: { mode: "Additive" as const, allowedCidrs: ["8.8.8.0/24"] },
      there: ["8.8.8.0/24", "9.9.9.0/24"],
      fields: [],
    },
    {
      why: "[K-21] ours is not among others",
      declared: { mode: "Additive" as const, allowedCidrs: ["8.8.8.0/24"] },
      there: ["9.9.9.0/24"],
      fields: [FIELD],
    },
    {
      why: "nobody is meant, and some may",
      declared: { denyAll: true as const },
      there: EVERYWHERE,
      fields: ["spec.database.networkRestrictions.denyAll"],
    },
    { why: "nobody is meant, and nobody may", declared: { denyAll: true as const }, there: [], fields: [] },
  ])("differ in $fields where $why", ({ declared, there, fields }) => {
    expect(planRestrictions(declared, observed(...there)).map(({ field }) => field)).toEqual(fields);
  });

  it("that the project may not have end with words, and only where something differs", () => {
    const disallowed = { ...observed(...EVERYWHERE), isEntitled: false };
    expect(planRestrictions({ allowedCidrs: EVERYWHERE }, disallowed)).toEqual([]);
    expect(planRestrictions({ allowedCidrs: ["8.8.8.0/24"] }, disallowed)).toHaveLength(1);
    expect(unentitled(disallowed)?.message).toMatch(/another plan, and the platform does not tell which/u);
    expect(unentitled(observed(...EVERYWHERE))).toBeUndefined();
    // nor does the reference
    expect(networkRestrictionsSection.needs).toBe("a plan that has them: the platform does not tell which");
  });

  const cidrs = fc.uniqueArray(
    fc
      .tuple(fc.integer({ min: 1, max: 255 }), fc.integer({ min: 8, max: 32 }))
      .map(([byte, bits]) => `8.${byte}.3.77/${bits}`),
    { minLength: 1, maxLength: 5 },
  );

  it("converge: what is applied, or added, leaves nothing to plan", () => {
    fc.assert(
      fc.property(
        cidrs,
        cidrs,
        fc.constantFrom("Exclusive" as const, "Additive" as const),
        (allowedCidrs, there, mode) => {
          const wanted = allowedCidrs.map(normalCidr);
          const before = there.map(normalCidr);
          const after = new Set(mode === "Additive" ? [...before, ...wanted] : wanted);
          expect(planRestrictions({ allowedCidrs, mode }, observed(...after))).toEqual([]);
        },
      ),
    );
  });
});
