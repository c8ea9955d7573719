import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Heap } from "./heap.ts";

interface Member {
  order: number;
}

/** Takes everything out, in order. */
function drain(heap: Heap<Member>): readonly number[] {
  const orders: number[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) orders.push(item.order);
  return orders;
}

const heapOf = (...orders: readonly number[]): { readonly heap: Heap<Member>; readonly members: readonly Member[] } => {
  const heap = new Heap<Member>((a, b) => a.order < b.order);
  const members = orders.map((order) => ({ order }));
  for (const member of members) heap.push(member);
  return { heap, members };
};

describe("Heap", () => {
  it("gives out members in order, ties included", () => {
    expect(drain(heapOf(5, 1, 4, 1, 3).heap)).toEqual([1, 1, 3, 4, 5]);
  });

  it("moves a member whose order changed when it is pushed again, and holds it once", () => {
    const { heap, members } = heapOf(1, 2, 3);
    const first = members[0];
    if (first === undefined) throw new Error("no member");
    first.order = 9;
    heap.push(first);
    expect(heap.size).toBe(3);
    expect(drain(heap)).toEqual([2, 3, 9]);
  });

  it("says of a stranger that it is not in, and stays as it was", () => {
    const { heap } = heapOf(1);
    expect(heap.remove({ order: 1 })).toBe(false);
    expect(drain(heap)).toEqual([1]);
    expect(heap.pop()).toBeUndefined();
  });

  it("equals a sorted list under any sequence of pushes, removals and changes", () => {
    const operation = fc.record({
      what: fc.constantFrom("push", "remove", "change", "pop"),
      order: fc.integer({ min: 0, max: 20 }),
      at: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 80 }), (operations) => {
        const heap = new Heap<Member>((a, b) => a.order < b.order);
        let model: Member[] = [];
        for (const { what, order, at } of operations) {
          const chosen = model[at % Math.max(1, model.length)];
          const lowest = Math.min(...model.map((member) => member.order));
          let popped: number | undefined;
          if (what === "push") {
            const member = { order };
            heap.push(member);
            model.push(member);
          } else if (chosen !== undefined && what === "change") {
            chosen.order = order;
            heap.push(chosen);
          } else if (chosen !== undefined) {
            const gone = what === "remove" ? chosen : heap.pop();
            popped = what === "pop" ? gone?.order : undefined;
            if (what === "remove") heap.remove(chosen);
            model = model.filter((member) => member !== gone);
          }
          expect(popped ?? lowest).toBe(lowest);
          expect(heap.size).toBe(model.length);
          expect(model.every((member) => heap.has(member))).toBe(true);
        }
        expect(drain(heap)).toEqual(model.map((member) => member.order).sort((a, b) => a - b));
      }),
    );
  });
});
