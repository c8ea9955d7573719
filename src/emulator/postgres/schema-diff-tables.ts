import type { ColumnObject, TableObject } from "./schema-objects.ts";

/** Differences between tables, as SQL. Pure. */

/** A table as it begins. What its columns default to may need functions that come after the tables: see tableSettings. */
export function newTable(table: TableObject): string {
  const partitioned = table.partitionKey === null ? "" : ` partition by ${table.partitionKey}`;
  if (table.partitionOf !== null) {
    return `create table ${table.name} partition of ${table.partitionOf} ${table.bound ?? ""}${partitioned}`;
  }
  const columns = table.columns.map((column) => `  ${columnDefinition(withoutDefault(column))}`);
  return `create table ${table.name} (${columns.length === 0 ? "" : `\n${columns.join(",\n")}\n`})${partitioned}`;
}

/** What a new table is given when everything that it may name is there. */
export function tableSettings(table: TableObject): readonly string[] {
  return tableChanges(
    { ...table, rowSecurity: false, forced: false, columns: table.columns.map(withoutDefault) },
    table,
  );
}

function withoutDefault(column: ColumnObject): ColumnObject {
  return column.generated === "" ? { ...column, default: null } : column;
}

function columnDefinition({ name, type, notNull, default: value, identity, generated }: ColumnObject): string {
  const parts = [name, type];
  if (generated !== "") parts.push(`generated always as (${value ?? ""}) ${generated === "v" ? "virtual" : "stored"}`);
  else if (value !== null) parts.push(`default ${value}`);
  if (identity !== "") parts.push(identityOf(identity));
  if (notNull) parts.push("not null");
  return parts.join(" ");
}

function identityOf(identity: string): string {
  return `generated ${identity === "a" ? "always" : "by default"} as identity`;
}

/** What makes of one table the other of the same name. Columns of a partition are those of its parent. */
export function tableChanges(from: TableObject, to: TableObject): readonly string[] {
  const alter = (change: string): string => `alter table ${to.name} ${change}`;
  const columns = to.partitionOf === null ? columnChanges(from, to) : [];
  const security = [
    ...(from.rowSecurity === to.rowSecurity ? [] : [`${to.rowSecurity ? "enable" : "disable"} row level security`]),
    ...(from.forced === to.forced ? [] : [`${to.forced ? "force" : "no force"} row level security`]),
  ];
  return [...columns, ...security].map(alter);
}

function columnChanges(from: TableObject, to: TableObject): readonly string[] {
  const before = new Map(from.columns.map((column) => [column.name, column]));
  const after = new Set(to.columns.map(({ name }) => name));
  const gone = from.columns.filter(({ name }) => !after.has(name));
  return [
    ...gone.map(({ name }) => `drop column ${name}`),
    ...to.columns.flatMap((column) => {
      const known = before.get(column.name);
      return known === undefined ? [`add column ${columnDefinition(column)}`] : changesOf(known, column);
    }),
  ];
}

function changesOf(from: ColumnObject, to: ColumnObject): readonly string[] {
  const computed = from.generated !== "" || to.generated !== "";
  const same = from.generated === to.generated && from.default === to.default && from.type === to.type;
  if (computed && !same) return [`drop column ${to.name}`, `add column ${columnDefinition(to)}`];
  const alter = (change: string): string => `alter column ${to.name} ${change}`;
  const typed = from.type === to.type ? [] : [`type ${to.type} using ${to.name}::${to.type}`];
  return [...defaultChanges(from, to, typed), ...nullChanges(from, to), ...identityChanges(from, to)].map(alter);
}

/** A default of the old type may not fit the new one: it goes before and comes after. */
function defaultChanges(from: ColumnObject, to: ColumnObject, typed: readonly string[]): readonly string[] {
  if (from.default === to.default && typed.length === 0) return [];
  return [
    ...(from.default === null || (to.default !== null && typed.length === 0) ? [] : ["drop default"]),
    ...typed,
    ...(to.default === null ? [] : [`set default ${to.default}`]),
  ];
}

function nullChanges(from: ColumnObject, to: ColumnObject): readonly string[] {
  if (from.notNull === to.notNull) return [];
  return [to.notNull ? "set not null" : "drop not null"];
}

function identityChanges(from: ColumnObject, to: ColumnObject): readonly string[] {
  if (from.identity === to.identity) return [];
  if (to.identity === "") return ["drop identity"];
  if (from.identity === "") return [`add ${identityOf(to.identity)}`];
  return [`set generated ${to.identity === "a" ? "always" : "by default"}`];
}
