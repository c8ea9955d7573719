import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fifo } from "./fifo.ts";

describe("Fifo", () => {
  it("equals an array under any sequence of pushes, shifts and removals from the middle", () => {
    const operation = fc.oneof(
      fc.record({ what: fc.constant("push" as const), value: fc.nat(15) }),
      fc.record({ what: fc.constant("remove" as const), value: fc.nat(15) }),
      fc.record({ what: fc.constant("shift" as const), value: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 120 }), (operations) => {
        const fifo = new Fifo<number>();
        let model: number[] = [];
        for (const { what, value } of operations) {
          if (what === "push") {
            fifo.push(value);
            if (!model.includes(value)) model.push(value);
          }
          const was = model.includes(value);
          const answers =
            what === "remove" ? [fifo.remove(value), was] : what === "shift" ? [fifo.shift(), model.shift()] : [];
          if (what === "remove") model = model.filter((member) => member !== value);
          expect(answers[0]).toBe(answers[1]);
          expect(fifo.size).toBe(model.length);
        }
      }),
    );
  });

  it("goes on after it ran empty", () => {
    const fifo = new Fifo<string>();
    fifo.push("a");
    expect(fifo.shift()).toBe("a");
    expect(fifo.shift()).toBeUndefined();
    fifo.push("b");
    expect(fifo.shift()).toBe("b");
  });
});
