import { describe, expect, test } from "vitest";
import { conditionTypeMeanings, conditionTypes, reasonMeanings, reasons } from "./conditions.ts";

const words = [...Object.entries(conditionTypeMeanings), ...Object.entries(reasonMeanings)];

describe("condition types and reasons", () => {
  test.each(words)("%s is a word that the apiserver takes, with a sentence that says when", (word, meaning) => {
    expect(word).toMatch(/^[A-Z][A-Za-z0-9]{0,127}$/);
    expect(meaning).toMatch(/^[A-Za-z].{20,}\.$/s);
  });

  test("a constant is its own name", () => {
    expect(Object.entries(conditionTypes).every(([key, value]) => key === value)).toBe(true);
    expect(Object.entries(reasons).every(([key, value]) => key === value)).toBe(true);
    expect(conditionTypes.Ready).toBe("Ready");
    expect(reasons.OwnedElsewhere).toBe("OwnedElsewhere");
  });

  test("no two words mean the same", () => {
    const meanings = Object.values(reasonMeanings);
    expect(new Set(meanings).size).toBe(meanings.length);
  });
});
