import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findings, isTold, toldText } from "./fields.ts";
import { kinds } from "./kinds.ts";
import { boundedStatus, withinBounds } from "./status-bounds.ts";

/** How many items more than it holds each list gets. */
const OVER = 3;

function maxOf(list: z.ZodArray): number {
  const { maxItems } = z.object({ maxItems: z.int().positive() }).parse(list.meta());
  return maxItems;
}

/** A value with every field, and with lists that are too long; all texts differ. */
function overfull(schema: unknown, path: string, lists: Map<string, number>): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return overfull(schema.unwrap(), path, lists);
  }
  if (schema instanceof z.ZodObject) {
    const members = Object.entries<unknown>(schema.shape);
    return Object.fromEntries(members.map(([name, member]) => [name, overfull(member, `${path}.${name}`, lists)]));
  }
  if (schema instanceof z.ZodArray) {
    const max = maxOf(schema);
    lists.set(path.replaceAll(/\[\d+\]/g, "[]"), max);
    // Inner lists in the first two items alone, or they would multiply.
    return Array.from({ length: max + OVER }, (_, n) => {
      const item = overfull(schema.element, `${path}[${n}]`, n < 2 ? lists : new Map<string, number>());
      return n < 2 ? item : withoutLists(item);
    });
  }
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodNumber) return 1;
  if (schema instanceof z.ZodString) return schema.format === null ? path : "2026-01-01T00:00:00Z";
  throw new Error(`${path}: a schema that this test does not know`);
}

/** The same with texts of others that are long, and of which JSON makes six bytes of each unit. */
function withLong(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return withLong(schema.unwrap(), value);
  if (schema instanceof z.ZodObject && typeof value === "object" && value !== null) {
    const members = new Map<string, unknown>(Object.entries(schema.shape));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withLong(members.get(name), member)]),
    );
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => withLong(schema.element, item));
  return schema instanceof z.ZodString && isTold(schema) ? "\u0000".repeat(3000) : value;
}

function withoutLists(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutLists(member)]));
}

describe.each(kinds.map(({ type, status }) => ({ kind: type.kind, status })))("the status of a $kind", ({ status }) => {
  const lists = new Map<string, number>();
  const value = overfull(status, "status", lists);

  it("has a bound for each of its lists", () => {
    expect(lists.size).toBeGreaterThan(0);
  });

  it("is not refused for what is beyond them: that is left out, and counted", () => {
    expect(status.safeParse(value).success).toBe(false);
    const { bounded, leftOut } = withinBounds(status, value);
    expect(status.safeParse(bounded).error?.issues).toBeUndefined();
    const told = new Map(leftOut.map(({ list }) => [`status.${list}`, true]));
    expect([...told.keys()].toSorted()).toEqual([...lists.keys()].toSorted());
    expect(leftOut.every(({ items }) => items >= OVER)).toBe(true);
  });

  it("is no larger than an apiserver takes, however long what others tell is", () => {
    const long = z.looseObject({}).parse(withLong(status, withinBounds(status, value).bounded));
    const { status: bounded } = boundedStatus(status, long);
    expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThan(1_000_000);
    expect(boundedStatus(status, bounded).status).toBe(bounded);
  });

  it("stays the very same where nothing is beyond them", () => {
    const { bounded } = withinBounds(status, value);
    expect(withinBounds(status, bounded)).toEqual({ bounded, leftOut: [] });
    expect(withinBounds(status, bounded).bounded).toBe(bounded);
  });
});

describe("findings that are left out", () => {
  it("are told by their number in the place of the last one", () => {
    const project = kinds.find(({ type }) => type.kind === "Project");
    if (project === undefined) throw new Error("there is no Project");
    const warnings = Array.from({ length: 300 }, (_, n) => `warning ${n}`);
    const { bounded, leftOut } = withinBounds(project.status, { transfer: { warnings } });
    const { transfer } = z.object({ transfer: z.object({ warnings: z.array(z.string()) }) }).parse(bounded);
    expect(transfer.warnings).toHaveLength(256);
    expect(transfer.warnings.slice(-2)).toEqual(["warning 254", "and 45 more"]);
    expect(leftOut).toEqual([{ list: "transfer.warnings", items: 45 }]);
  });
});

describe("names of fields", () => {
  /** Where a section names settings that only the platform knows: they are as long as it likes. */
  const named = (names: readonly string[]): unknown => ({
    sections: [
      {
        name: "database.settings",
        state: "Drifted",
        fields: names,
        left: { reported: names, stuck: names, ignored: names },
        awaitsRestart: { fields: names, since: "2026-01-01T00:00:00Z" },
        refused: { declared: "d", under: "u", fields: names },
      },
    ],
  });

  it.each(["Project", "Branch"])("are texts of others in the status of a %s, wherever it has them", (kind) => {
    const status = kinds.find(({ type }) => type.kind === kind)?.status ?? z.object({});
    const long = Array.from({ length: 64 }, (_, n) => `${n}`.padEnd(6000, "x"));
    const { bounded } = withinBounds(status, named(long));
    expect(bounded).toEqual(named(long.map((name) => name.slice(0, 1024))));
  });

  it("take no room from the other texts until there is need", () => {
    const status = kinds.find(({ type }) => type.kind === "Project")?.status ?? z.object({});
    const many = z.looseObject({}).parse(named(Array.from({ length: 600 }, (_, n) => `${n}`.padEnd(6000, "x"))));
    const { status: bounded } = boundedStatus(status, { ...many, region: "somewhere-far-away" });
    expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThanOrEqual(512 * 1024);
    expect(bounded).toMatchObject({ region: "somewhere-far-away" });
  });
});

describe("texts of others", () => {
  const schema = z.object({ told: toldText("Told."), ours: z.string() });

  it("are cut, and never in the middle of a character; ours are not", () => {
    const long = `${"x".repeat(1023)}😀 and more`;
    const { status } = boundedStatus(schema, { told: long, ours: long });
    expect(status).toEqual({ told: `${"x".repeat(1023)}\uFFFD`, ours: long });
  });

  it("are cut no more than there is need", () => {
    const listed = z.object({ all: findings("All.", { max: 1000 }) });
    const { status } = boundedStatus(listed, { all: Array.from({ length: 900 }, () => "y".repeat(5000)) });
    expect(z.object({ all: z.array(z.string()) }).parse(status).all[0]).toHaveLength(512);
  });
});
