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
