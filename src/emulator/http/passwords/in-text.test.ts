import { expect, it } from "vitest";
import { mayTellPassword } from "./in-text.ts";

it.each(["password ", "a-", "secret-", "token https://a.test/ ", "https://token.test,", "https://a.test/token "])(
  "the time does not grow with the square of the text: %j",
  (part) => {
    const startedAt = performance.now();
    mayTellPassword(part.repeat(200_000 / part.length));
    mayTellPassword(`${part.repeat(200_000 / part.length)}"`);
    expect(performance.now() - startedAt).toBeLessThan(2000);
  },
);

it("what is longer than is read tells nothing, and breaks nothing", () => {
  expect(mayTellPassword(`password ${"a".repeat(9_000_000)}`)).toBe(true);
  expect(mayTellPassword(`token ${"https://a.test ".repeat(2_000_000)}`)).toBe(true);
  expect(mayTellPassword("a".repeat(9_000_000))).toBe(false);
});
