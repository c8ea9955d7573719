import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_REQUESTS_OF_A_VERB, requestAnnotation } from "../../resources/requests.ts";
import { bounded, isUnderWay, isUnsent, standing, withRecord } from "./records.ts";
import type { Recorded } from "./request.ts";

const record = (verb: string, request: string, state = "Succeeded"): Recorded => ({
  verb,
  id: request,
  request,
  state,
});

const asks = (verb: string, request: string) => ({ annotations: { [requestAnnotation(verb)]: request } });

describe("the list of requests", () => {
  it("has each request once, where it was first", () => {
    const list = withRecord(withRecord([], record("restart", "1", "Running")), record("restart", "2"));
    expect(withRecord(list, record("restart", "1"))).toEqual([record("restart", "1"), record("restart", "2")]);
    expect(withRecord(list, record("reset", "1"))).toHaveLength(3);
  });

  it("forgets the oldest of a verb beyond the last ten, and none of another verb", () => {
    const many = Array.from({ length: 12 }, (_, n) => record("restart", `${n}`));
    const kept = bounded([record("reset", "old"), ...many], {});
    expect(kept.map(({ request }) => request)).toEqual(["old", ...many.slice(2).map(({ request }) => request)]);
  });

  it("never forgets what an annotation still asks for, nor what is under way, and is never longer than that needs", () => {
    const states = fc.constantFrom("Succeeded", "Failed", "Running", "Sending", "SomethingNewer");
    const records = fc.array(
      fc
        .tuple(fc.constantFrom("restart", "reset"), fc.nat({ max: 40 }), states)
        .map(([verb, n, state]) => record(verb, `${n}`, state)),
    );
    fc.assert(
      fc.property(records, fc.nat({ max: 40 }), (given, asked) => {
        const list = given.reduce<readonly Recorded[]>((all, one) => withRecord(all, one), []);
        const metadata = asks("restart", `${asked}`);
        const kept = bounded(list, metadata);
        const needed = list.filter((one) => isUnderWay(one) || standing(metadata, one.verb) === one.request);
        for (const one of needed) expect(kept).toContain(one);
        for (const verb of ["restart", "reset"]) {
          const spare = kept.filter((one) => one.verb === verb && !needed.includes(one));
          expect(spare.length).toBeLessThanOrEqual(MOST_REQUESTS_OF_A_VERB);
        }
        expect(bounded(kept, metadata)).toEqual(kept);
      }),
    );
  });

  it.each([
    { state: "Waiting", unsent: true, underWay: false },
    { state: "Sending", unsent: false, underWay: true },
    { state: "Running", unsent: false, underWay: true },
    { state: "Unknown", unsent: false, underWay: false },
    { state: "Ignored", unsent: false, underWay: false },
    { state: "ANewerState", unsent: false, underWay: false },
  ])("takes $state for what it is: what is not known was carried out", ({ state, unsent, underWay }) => {
    expect(isUnsent({ state })).toBe(unsent);
    expect(isUnderWay({ state })).toBe(underWay);
  });
});

it("a request is told by its annotation, cut where none could be that long", () => {
  expect(standing({}, "restart")).toBeUndefined();
  expect(standing(asks("restart", "1"), "reset")).toBeUndefined();
  expect(standing(asks("restart", "x".repeat(300)), "restart")).toHaveLength(256);
});
