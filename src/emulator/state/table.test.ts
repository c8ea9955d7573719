import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ChangeLog, ProjectTable, Table } from "./table.ts";

interface Row {
  readonly group: string | undefined;
  readonly dueAtMs: number | undefined;
}
const row: z.ZodType<Row> = z.custom<Row>();

function grouped() {
  const changes = new ChangeLog();
  const table = new Table({ name: "t", row }, changes);
  const groups = table.groupedBy(({ group }) => group);
  const due = table.orderedBy(({ dueAtMs }) => dueAtMs);
  return { changes, table, groups, due };
}

const change: fc.Arbitrary<Change> = fc.record({
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  row: fc.option(
    fc.record({
      group: fc.constantFrom(undefined, "x", "y"),
      dueAtMs: fc.constantFrom(undefined, 1, 2, 3),
    }),
    { nil: undefined },
  ),
});
interface Change {
  readonly key: string;
  readonly row: Row | undefined;
}

describe("the indexes of a table", () => {
  const moves: [Change[], Change[]] = [
    [
      { key: "a", row: { group: "x", dueAtMs: 2 } },
      { key: "b", row: { group: "x", dueAtMs: 2 } },
      { key: "a", row: { group: "y", dueAtMs: 1 } },
    ],
    [
      { key: "b", row: undefined },
      { key: "c", row: { group: "x", dueAtMs: undefined } },
    ],
  ];

  it("find what a walk through all rows finds, whatever was set, removed and taken back", () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change), (kept, takenBack) => {
        const { changes, table, groups, due } = grouped();
        const apply = (made: readonly Change[]): void => {
          for (const one of made) {
            if (one.row === undefined) table.delete(one.key);
            else table.set(one.key, one.row);
          }
        };
        apply(kept);
        const before = [...table.rows()];
        expect(() =>
          changes.allOrNothing(() => {
            apply(takenBack);
            throw new Error("refused");
          }),
        ).toThrow("refused");
        expect([...table.rows()]).toEqual(before);
        for (const name of ["x", "y"]) {
          expect(Object.fromEntries(groups.of(name))).toEqual(
            Object.fromEntries(before.filter(([, { group }]) => group === name)),
          );
        }
        for (const nowMs of [0, 1, 2, 3]) {
          const over = before.filter(([, { dueAtMs }]) => dueAtMs !== undefined && dueAtMs <= nowMs);
          expect(due.until(nowMs).toSorted()).toEqual(over.map(([key]) => key).toSorted());
        }
      }),
      { examples: [moves] },
    );
  });

  it("find of what is due the first one first", () => {
    const { table, due } = grouped();
    for (const [key, dueAtMs] of [
      ["late", 9],
      ["early", 1],
      ["middle", 5],
    ] as const) {
      table.set(key, { group: undefined, dueAtMs });
    }
    expect(due.until(8)).toEqual(["early", "middle"]);
  });
});

describe("work that happens as a whole or not at all", () => {
  it("saves nothing of what it did when it fails, and everything when it does not", () => {
    const changes = new ChangeLog();
    const rows = new ProjectTable({ name: "p", row: z.string() }, changes);
    changes.keep(({ value }) => String(value));
    rows.set("ref", "a", "before");
    const work = (): void => {
      rows.set("ref", "a", "after");
      rows.set("ref", "b", "new");
      rows.delete("ref", "a");
    };
    expect(() =>
      changes.allOrNothing(() => {
        work();
        changes.allOrNothing(work);
        throw new Error("refused");
      }),
    ).toThrow("refused");
    expect([...rows.rows()]).toEqual([["ref/a", "before"]]);
    expect(changes.take()).toEqual(["before"]);
    changes.allOrNothing(work);
    expect([...rows.rows()]).toEqual([["ref/b", "new"]]);
    expect(changes.take()).toEqual(["after", "new", "undefined"]);
  });
});

describe("a row that cannot be saved", () => {
  it("is not set, and what was there before it is", () => {
    const changes = new ChangeLog();
    changes.keep(({ value }) => {
      if (value === "unsayable") throw new TypeError("unsayable");
      return String(value);
    });
    const rows = new Table({ name: "t", row: z.string() }, changes);
    const ofProjects = new ProjectTable({ name: "p", row: z.string() }, changes);
    rows.set("a", "before");
    ofProjects.set("ref", "a", "before");
    expect(() => rows.set("a", "unsayable")).toThrow("unsayable");
    expect(() => ofProjects.set("ref", "a", "unsayable")).toThrow("unsayable");
    expect([...rows.rows(), ...ofProjects.rows()]).toEqual([
      ["a", "before"],
      ["ref/a", "before"],
    ]);
    expect(changes.take()).toEqual(["before", "before"]);
  });
});
