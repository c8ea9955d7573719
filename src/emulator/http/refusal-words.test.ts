import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isWithinAny, refusalWords } from "./refusal-words.ts";

const MANY = 16_000;

describe("the words of many refusals", () => {
  it("are made of those that are said alone, whether they are of one list or of an alternative", () => {
    const looked = new Set<number>();
    const issues = Array.from({ length: MANY }, (_, at): z.core.$ZodIssue => {
      const issue: z.core.$ZodIssue = { code: "custom", path: [], message: "wrong" };
      return Object.defineProperty(issue, "code", { get: () => (looked.add(at), "custom") });
    });
    const refused = { schema: z.unknown(), value: null, part: "body" };
    const words = Array.from({ length: 5 }, () => "body: wrong, received undefined").join("; ");
    expect(refusalWords(issues, refused)).toBe(words);
    expect(looked.size).toBe(5);
    const within = issues.map((issue) => Object.defineProperty(issue, "path", { value: ["a"] }));
    looked.clear();
    const either: z.core.$ZodIssue = { code: "invalid_union", errors: [within], path: [], message: "" };
    expect(refusalWords([either], refused)).toBe(words.replaceAll("body", "a"));
    expect(looked.size).toBe(5);
  });

  it("ask for the places of secrets without looking at each of them again", () => {
    let looks = 0;
    const places = Array.from(
      { length: MANY },
      (_, at) =>
        new Proxy(["headers", `h${at}`], {
          get: (place, key) => {
            looks += 1;
            const found: unknown = Reflect.get(place, key);
            return found;
          },
        }),
    );
    const isSecret = isWithinAny(places);
    looks = 0;
    expect([["headers", "h7"], ["headers", "h15999", 3], ["headers"], ["headers.h7"], []].map(isSecret)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(looks).toBe(0);
  });
});
