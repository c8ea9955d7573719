import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { allTables } from "../../../src/emulator/state/tables.ts";
import type { World } from "../../../src/emulator/state/world.ts";

/** The state as it is held, every row of every table: no reading of an API says all of it. */

/** The rows of each table in their order, as values of their own: what is written into a row in its place shows too. */
export type Rows = Readonly<Record<string, readonly (readonly [key: string, row: unknown])[]>>;

export function rowsOf(world: World): Rows {
  return Object.fromEntries(
    allTables(world.tables).map((table) => [table.name, [...table.rows()].map(([key, row]) => [key, copied(row)])]),
  );
}

/** As JSON says it, but for bytes, of which the digest is enough, and for members that have no value. */
function copied(value: unknown): unknown {
  if (value instanceof Uint8Array) return `sha256:${createHash("sha256").update(value).digest("hex")}`;
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copied(member)]));
}

/** The tables whose rows are others, or in another order. */
export function changedTables(before: Rows, after: Rows): readonly string[] {
  return Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
