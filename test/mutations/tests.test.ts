import { expect, it } from "vitest";
import { decided, type Verdict } from "./tests.ts";

it.each<{ readonly what: string; readonly tries: readonly Verdict["kind"][]; readonly ends: Verdict["kind"] }>([
  { what: "a test that is slow and passes", tries: ["timedOut", "passed"], ends: "passed" },
  { what: "a test that is slow and fails", tries: ["timedOut", "failed"], ends: "failed" },
  { what: "a loop that never ends", tries: ["timedOut", "timedOut"], ends: "timedOut" },
  { what: "a test that passes at once", tries: ["passed"], ends: "passed" },
])("a mutant whose tests take too long is tried again before it counts: $what", async ({ tries, ends }) => {
  const limits: number[] = [];
  const verdictOf = (kind: Verdict["kind"]): Verdict => {
    if (kind === "failed") return { kind, test: "a test" };
    return kind === "broken" ? { kind, message: "" } : { kind };
  };
  const verdict = await decided(
    (limitMs) => Promise.resolve(verdictOf(tries[limits.push(limitMs) - 1] ?? "broken")),
    [1, 5],
  );
  expect(verdict.kind).toBe(ends);
  expect(limits).toEqual([1, 5].slice(0, tries.length));
});
