import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReadyMember, ReadySet } from "./ready-set.ts";

interface Member extends ReadyMember {
  readonly name: string;
}

const setOf = (members: readonly Member[], maxRunningPerGroup = Infinity): ReadySet<Member> => {
  const set = new ReadySet<Member>({ levels: 2, maxRunningPerGroup });
  for (const member of members) set.add(member);
  return set;
};

const member = (name: string, group: string, level = 0): Member => ({ name, group, level });

function takeAll(set: ReadySet<Member>): readonly string[] {
  const names: string[] = [];
  for (let taken = set.take(); taken !== undefined; taken = set.take()) names.push(taken.name);
  return names;
}

describe("ReadySet", () => {
  it("lets groups take turns, so that one with many members does not hold up one with few", () => {
    const set = setOf([member("a1", "a"), member("a2", "a"), member("a3", "a"), member("b1", "b"), member("c1", "c")]);
    expect(takeAll(set)).toEqual(["a1", "b1", "c1", "a2", "a3"]);
  });

  it("takes the higher level first, whatever came before", () => {
    const set = setOf([member("late", "a", 1), member("soon", "b", 0), member("sooner", "a", 0)]);
    expect(takeAll(set)).toEqual(["soon", "sooner", "late"]);
  });

  it("lets two levels take turns where that is asked for, before all others", () => {
    const set = new ReadySet<Member>({ levels: 3, maxRunningPerGroup: Infinity, takingTurns: [0, 1] });
    for (const name of ["a1", "a2", "a3"]) set.add(member(name, "a", 0));
    for (const name of ["b1", "b2"]) set.add(member(name, "b", 1));
    set.add(member("late", "c", 2));
    expect(takeAll(set)).toEqual(["a1", "b1", "a2", "b2", "a3", "late"]);
  });

  it("passes over a group with as many running as it may have, and takes it again when one ends", () => {
    const set = setOf([member("a1", "a"), member("a2", "a"), member("a3", "a"), member("b1", "b")], 2);
    expect(takeAll(set)).toEqual(["a1", "b1", "a2"]);
    set.finished(member("b1", "b"));
    expect(set.take()).toBeUndefined();
    set.finished(member("a1", "a"));
    expect(set.take()?.name).toBe("a3");
  });

  it("has places of a group for one level, beside the places that all levels have with general takers", () => {
    const set = new ReadySet<Member>({ levels: 2, maxRunningPerGroup: 1, reserved: 0 });
    for (const name of ["a1", "a2"]) set.add(member(name, "a", 1));
    expect(takeAll(set)).toEqual(["a1"]);
    for (const name of ["e1", "e2", "e3"]) set.add(member(name, "a", 0));
    expect(set.take()).toBeUndefined();
    expect(set.take("reserved")?.name).toBe("e1");
    expect(set.take("reserved")).toBeUndefined();
    set.finished(member("a1", "a", 1));
    expect(takeAll(set)).toEqual(["a2"]); // e1 has the place of its level still
    set.finished(member("a2", "a", 1));
    set.finished(member("e1", "a", 0), "reserved");
    expect(takeAll(set)).toEqual(["e2"]);
    expect(set.take("reserved")).toBeUndefined();
    set.finished(member("e2", "a", 0));
    expect(set.take("reserved")?.name).toBe("e3");
  });

  it("gives those who take one level alone nothing else", () => {
    const set = new ReadySet<Member>({ levels: 2, maxRunningPerGroup: Infinity, reserved: 0 });
    set.add(member("a1", "a", 1));
    expect(set.take("reserved")).toBeUndefined();
    set.add(member("b1", "b", 0));
    expect(set.take("reserved")?.name).toBe("b1");
    expect(takeAll(set)).toEqual(["a1"]);
  });

  it("counts running members of a group over its levels", () => {
    const set = setOf([member("a1", "a", 0), member("a2", "a", 1), member("b1", "b", 1)], 1);
    expect(takeAll(set)).toEqual(["a1", "b1"]);
  });

  it("forgets a member that is removed", () => {
    const gone = member("gone", "a");
    const set = setOf([gone, member("stays", "a")]);
    set.remove(gone);
    set.remove(gone);
    expect(takeAll(set)).toEqual(["stays"]);
  });

  it("serves no other group twice while a group waits at the same level", () => {
    const operation = fc.record({
      what: fc.constantFrom("add", "add", "take", "finish"),
      group: fc.constantFrom("a", "b", "c", "d"),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const set = setOf([]);
        const waiting = new Map<string, number>();
        const servedSince = new Map<string, string[]>();
        let serial = 0;
        for (const { what, group } of operations) {
          if (what === "add") {
            set.add(member(`${(serial += 1)}`, group));
            if ((waiting.get(group) ?? 0) === 0) servedSince.set(group, []);
            waiting.set(group, (waiting.get(group) ?? 0) + 1);
          } else if (what === "finish") {
            set.finished({ group, level: 0 });
          } else {
            const taken = set.take()?.group;
            if (taken === undefined) continue;
            waiting.set(taken, (waiting.get(taken) ?? 0) - 1);
            servedSince.set(taken, []);
            for (const [other, count] of waiting) if (other !== taken && count > 0) servedSince.get(other)?.push(taken);
          }
          for (const served of servedSince.values()) expect(new Set(served).size).toBe(served.length);
        }
      }),
    );
  });
});
