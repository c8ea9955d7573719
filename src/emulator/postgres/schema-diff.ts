import { newTable, tableChanges, tableSettings } from "./schema-diff-tables.ts";
import type { DefinedObject, RoutineObject, SchemaObjects, ViewObject } from "./schema-objects.ts";

/**
 * The SQL that makes of one database's schemas what another's are: schemas, enums, composite types, domains, ranges, sequences, tables with their
 * columns, constraints, indexes, row security and policies, functions, procedures, triggers, views. Rows, owners, grants and comments are not
 * looked at, and what is called otherwise is another thing. What no statement can do is told in a comment: taking values from an enum,
 * changing a composite type or a domain. Pure.
 */
export function schemaDiff(from: SchemaObjects, to: SchemaObjects): string {
  const tables = compared(from.tables, to.tables);
  const altered = new Set(tables.kept.filter(([a, b]) => tableChanges(a, b).length > 0).map(([, { name }]) => name));
  const views = viewChanges(from.views, to.views, altered);
  const kept = new Set([...tables.kept.map(([, { name }]) => name), ...views.kept]);
  const [triggers, policies, indexes, constraints] = [
    changes(from.triggers, to.triggers, kept),
    changes(from.policies, to.policies, kept),
    changes(from.indexes, to.indexes, kept),
    changes(from.constraints, to.constraints, kept),
  ];
  const routines = routineChanges(from.routines, to.routines);
  const types = compared(from.types, to.types);
  return written([
    ...missing(to.schemas, from.schemas).map((name) => `create schema ${name}`),
    ...triggers.dropped.map(({ table, name }) => `drop trigger ${name} on ${table}`),
    ...policies.dropped.map(({ table, name }) => `drop policy ${name} on ${table}`),
    ...views.dropped,
    ...droppedConstraints(from.constraints, to.constraints, constraints.dropped),
    ...indexes.dropped.map(({ name }) => `drop index ${name}`),
    ...routines.replaced,
    ...enumChanges(from.enums, to.enums),
    ...types.made.map(({ create }) => create),
    ...types.kept.filter(([a, b]) => a.create !== b.create).map(([, { create }]) => `-- has changed: ${create}`),
    ...sequenceChanges(from.sequences, to.sequences),
    ...tables.made.map(newTable),
    ...routines.made,
    ...tables.made.flatMap(tableSettings),
    ...tables.kept.flatMap(([a, b]) => tableChanges(a, b)),
    ...ownerships(from.sequences, to.sequences),
    ...constraints.made.toSorted(foreignLast).map(({ create }) => create),
    ...views.made,
    ...indexes.made.map(({ create }) => create),
    ...triggers.made.map(({ create }) => create),
    ...policies.made.map(({ create }) => create),
    ...tables.dropped.toReversed().map(({ name }) => `drop table ${name}`),
    ...routines.dropped,
    ...compared(from.sequences, to.sequences).dropped.map(({ name }) => `drop sequence if exists ${name}`),
    ...types.dropped.toReversed().map(({ name }) => `drop ${name}`),
    ...compared(from.enums, to.enums).dropped.map(({ name }) => `drop type ${name}`),
    ...missing(from.schemas, to.schemas).map((name) => `drop schema ${name}`),
  ]);
}

/** Bodies of functions are not checked while they may name what comes later. */
const UNCHECKED_BODIES = "set check_function_bodies = off";

function written(statements: readonly string[]): string {
  const hasRoutine = statements.some((statement) => /^create or replace (function|procedure) /i.test(statement));
  return (hasRoutine ? [UNCHECKED_BODIES, ...statements] : statements)
    .map((statement) => (statement.startsWith("-- ") ? `${statement.replaceAll("\n", "\n-- ")}\n` : `${statement};\n`))
    .join("\n");
}

interface NamedObject {
  readonly name: string;
}

interface Comparison<T> {
  readonly made: readonly T[];
  readonly kept: readonly (readonly [before: T, after: T])[];
  readonly dropped: readonly T[];
}

function compared<T extends NamedObject>(from: readonly T[], to: readonly T[]): Comparison<T> {
  const before = new Map(from.map((one) => [one.name, one]));
  const after = new Set(to.map(({ name }) => name));
  return {
    made: to.filter(({ name }) => !before.has(name)),
    kept: to.flatMap((one): readonly (readonly [T, T])[] => {
      const known = before.get(one.name);
      return known === undefined ? [] : [[known, one]];
    }),
    dropped: from.filter(({ name }) => !after.has(name)),
  };
}

function missing(wanted: readonly string[], known: readonly string[]): readonly string[] {
  return wanted.filter((name) => !known.includes(name));
}

/** Objects of relations. Those of a relation that is dropped go with it; one that is new, or made anew, gets all of its own. */
function changes<T extends DefinedObject>(
  from: readonly T[],
  to: readonly T[],
  kept: ReadonlySet<string>,
): { readonly dropped: readonly T[]; readonly made: readonly T[] } {
  const [before, after] = [createsOf(from), createsOf(to)];
  return {
    dropped: from.filter((one) => kept.has(one.table) && after.get(keyOf(one)) !== one.create),
    made: to.filter((one) => !kept.has(one.table) || before.get(keyOf(one)) !== one.create),
  };
}

function createsOf(objects: readonly DefinedObject[]): ReadonlyMap<string, string> {
  return new Map(objects.map((one) => [keyOf(one), one.create]));
}

function keyOf({ table, name }: DefinedObject): string {
  return `${table} ${name}`;
}

type Constraint = SchemaObjects["constraints"][number];

/** Foreign keys first, those of dropped tables too: another table may be dropped before the one that refers to it. */
function droppedConstraints(
  from: readonly Constraint[],
  to: readonly Constraint[],
  dropped: readonly Constraint[],
): readonly string[] {
  const remaining = new Set(to.map(keyOf));
  const gone = from.filter((one) => one.foreign && !remaining.has(keyOf(one)));
  return [...new Set([...gone, ...dropped.toSorted(foreignLast).toReversed()])].map(
    ({ table, name }) => `alter table ${table} drop constraint ${name}`,
  );
}

function foreignLast(a: Constraint, b: Constraint): number {
  return Number(a.foreign) - Number(b.foreign);
}

interface Lines {
  readonly made: readonly string[];
  readonly dropped: readonly string[];
}

/** A view is made anew where it, a view that it reads or the columns of a table that it reads have changed. */
function viewChanges(
  from: readonly ViewObject[],
  to: readonly ViewObject[],
  altered: ReadonlySet<string>,
): Lines & { readonly kept: readonly string[] } {
  const after = new Map(to.map((view) => [view.name, view.create]));
  const touched = new Set(altered);
  for (const view of from) {
    const stays = after.get(view.name) === view.create && !view.reads.some((name) => touched.has(name));
    if (!stays) touched.add(view.name);
  }
  const known = new Set(from.map(({ name }) => name).filter((name) => !touched.has(name)));
  return {
    dropped: from
      .filter(({ name }) => touched.has(name))
      .toReversed()
      .map(({ name, materialized }) => `drop ${materialized ? "materialized view" : "view"} ${name}`),
    made: to.filter(({ name }) => !known.has(name)).map(({ create }) => create),
    kept: [...known],
  };
}

/** A routine is replaced in its place, unless it gives something else. */
function routineChanges(
  from: readonly RoutineObject[],
  to: readonly RoutineObject[],
): Lines & { readonly replaced: readonly string[] } {
  const before = new Map(from.map((routine) => [routine.name, routine]));
  const { kept, dropped } = compared(from, to);
  const drop = ({ name, procedure }: RoutineObject): string => `drop ${procedure ? "procedure" : "function"} ${name}`;
  return {
    replaced: kept.filter(([a, b]) => a.result !== b.result || a.procedure !== b.procedure).map(([a]) => drop(a)),
    made: to.filter(({ name, create }) => before.get(name)?.create !== create).map(({ create }) => create),
    dropped: dropped.map(drop),
  };
}

type Enum = SchemaObjects["enums"][number];

function enumChanges(from: readonly Enum[], to: readonly Enum[]): readonly string[] {
  const { made, kept } = compared(from, to);
  return [
    ...made.map(({ name, values }) => `create type ${name} as enum (${values.map(literal).join(", ")})`),
    ...kept.flatMap(([a, b]) => enumValueChanges(a, b)),
  ];
}

function enumValueChanges(from: Enum, { name, values }: Enum): readonly string[] {
  const gone = missing(from.values, values);
  const lost = gone.length === 0 ? [] : [`-- values that ${name} has lost: ${gone.map(literal).join(", ")}`];
  const added = values.flatMap((value, index) => {
    if (from.values.includes(value)) return [];
    const before = values[index - 1];
    const first = from.values[0];
    const place =
      before === undefined ? (first === undefined ? "" : ` before ${literal(first)}`) : ` after ${literal(before)}`;
    return [`alter type ${name} add value ${literal(value)}${place}`];
  });
  return [...lost, ...added];
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

type Sequence = SchemaObjects["sequences"][number];

function sequenceChanges(from: readonly Sequence[], to: readonly Sequence[]): readonly string[] {
  const { made, kept } = compared(from, to);
  return [
    ...made.map(({ create }) => create),
    ...kept.filter(([a, b]) => a.create !== b.create).map(([, { create }]) => create.replace(/^create/, "alter")),
  ];
}

function ownerships(from: readonly Sequence[], to: readonly Sequence[]): readonly string[] {
  const before = new Map(from.map(({ name, ownedBy }) => [name, ownedBy]));
  return to
    .filter(({ name, ownedBy }) => (before.get(name) ?? null) !== ownedBy)
    .map(({ name, ownedBy }) => `alter sequence ${name} owned by ${ownedBy ?? "none"}`);
}
