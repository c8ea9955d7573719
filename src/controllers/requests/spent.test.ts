import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { branchVerbs, MOST_SPENT_IDS, projectVerbs, requestStatusFields } from "../../resources/requests.ts";
import { boundedStatus } from "../../resources/status-bounds.ts";
import type { Recorded } from "./request.ts";
import { isSpent, withSpent } from "./spent.ts";

const record = (verb: string, id: string, state = "Succeeded"): Recorded => ({ verb, id, request: id, state });

const many = (verb: string, count: number): readonly Recorded[] =>
  Array.from({ length: count }, (_, n) => record(verb, `${n}`));

describe("ids of forgotten requests", () => {
  it("are kept as digests, each by its verb", () => {
    expect(withSpent([], [record("reset", "7")])).toEqual(["reset:7902699b"]);
    const spent = withSpent([], [record("reset", "7")]);
    expect(isSpent(spent, "reset", "7")).toBe(true);
    expect(isSpent(spent, "reset", "8")).toBe(false);
    expect(isSpent(spent, "merge", "7")).toBe(false);
  });

  it.each(["Failed", "Refused", "Expired", "Ignored", "Unknown", "ANewerState"])(
    "are kept of one that ended %s",
    (state) => {
      expect(isSpent(withSpent([], [record("reset", "7", state)]), "reset", "7")).toBe(true);
    },
  );

  it("are not kept of what was never sent: it may be asked for yet", () => {
    expect(withSpent([], [record("reset", "7", "Waiting")])).toEqual([]);
  });

  it("go oldest first where they are too many of a verb, and none of another verb for that", () => {
    const full = withSpent(withSpent([], [record("merge", "old")]), many("reset", MOST_SPENT_IDS));
    const again = withSpent(full, [record("reset", "0")]);
    expect(again).toHaveLength(full.length);
    const more = withSpent(again, [record("reset", "new")]);
    expect(["0", "1", "2", "new"].map((id) => isSpent(more, "reset", id))).toEqual([true, false, true, true]);
    expect(isSpent(more, "merge", "old")).toBe(true);
  });

  it("all fit into a status, whatever is asked for, in less than a tenth of what etcd takes of an object", () => {
    const verbs = [...new Set([...Object.keys(projectVerbs), ...Object.keys(branchVerbs)])];
    const spentRequests = verbs.reduce<readonly string[]>((all, verb) => withSpent(all, many(verb, 300)), []);
    expect(spentRequests).toHaveLength(verbs.length * MOST_SPENT_IDS);
    expect(boundedStatus(z.object(requestStatusFields), { spentRequests }).leftOut).toEqual([]);
    expect(JSON.stringify(spentRequests).length).toBeLessThan(150_000);
  });

  it("are all found again", () => {
    const records = fc.array(fc.tuple(fc.constantFrom("reset", "merge"), fc.string()), { maxLength: 200 });
    fc.assert(
      fc.property(records, (given) => {
        const spent = given.reduce<readonly string[]>((all, [verb, id]) => withSpent(all, [record(verb, id)]), []);
        for (const [verb, id] of given) expect(isSpent(spent, verb, id)).toBe(true);
        expect(new Set(spent).size).toBe(spent.length);
      }),
    );
  });
});
