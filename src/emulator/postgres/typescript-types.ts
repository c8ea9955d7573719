import type {
  Catalog,
  CatalogColumn,
  CatalogForeignKey,
  CatalogFunction,
  CatalogRelation,
  CatalogType,
} from "./catalog.ts";

/** TypeScript types of a database, as one module: what rows are, what may be inserted and updated, functions, enums and composite types. */

type TypeRef = Pick<CatalogType, "schema" | "name" | "kind"> & { readonly inner?: CatalogType["inner"] };

const HEAD = `export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]
`;

const HELPERS = `
type Schemas = { [S in keyof Database]: Database[S] }

export type Tables<S extends keyof Schemas, T extends keyof Schemas[S]["Tables"]> = Schemas[S]["Tables"][T] extends { Row: infer R }
  ? R
  : never

export type TablesInsert<S extends keyof Schemas, T extends keyof Schemas[S]["Tables"]> = Schemas[S]["Tables"][T] extends { Insert: infer I }
  ? I
  : never

export type TablesUpdate<S extends keyof Schemas, T extends keyof Schemas[S]["Tables"]> = Schemas[S]["Tables"][T] extends { Update: infer U }
  ? U
  : never

export type Enums<S extends keyof Schemas, E extends keyof Schemas[S]["Enums"]> = Schemas[S]["Enums"][E]
`;

/** @param schemas those to describe, in the order in which they are to stand; one that is not there is empty */
export function typescriptTypes(catalog: Catalog, schemas: readonly string[]): string {
  const types = new TypeNames(catalog, schemas);
  const members = [...new Set(schemas)].toSorted().map((schema) => member(schema, schemaType(catalog, types, schema)));
  return `${HEAD}\nexport type Database = ${block(members)}\n${HELPERS}`;
}

function schemaType(catalog: Catalog, types: TypeNames, schema: string): string {
  const here = <T extends { readonly schema: string }>(items: readonly T[]): readonly T[] =>
    items.filter((item) => item.schema === schema);
  const relations = here(catalog.relations);
  const relation = (one: CatalogRelation): string => member(one.name, relationType(one, catalog.foreignKeys, types));
  return block([
    member("Tables", blockOrNone(relations.filter(isTable).map(relation))),
    member("Views", blockOrNone(relations.filter((one) => !isTable(one)).map(relation))),
    member("Functions", blockOrNone(functionMembers(here(catalog.functions), catalog, types))),
    member("Enums", blockOrNone(here(catalog.enums).map(({ name, values }) => member(name, literals(values))))),
    member(
      "CompositeTypes",
      blockOrNone(
        here(catalog.composites).map(({ name, attributes }) =>
          member(name, block(attributes.map((one) => member(one.name, `${types.of(one.type)} | null`)))),
        ),
      ),
    ),
  ]);
}

function isTable({ kind }: CatalogRelation): boolean {
  return kind === "r" || kind === "p" || kind === "f";
}

function relationType(relation: CatalogRelation, foreignKeys: readonly CatalogForeignKey[], types: TypeNames): string {
  const { columns, insertable, updatable } = relation;
  const sorted = columns.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rows = sorted.map((column) => member(column.name, valueType(column, relation, types)));
  const relationships = foreignKeys.filter((key) => key.schema === relation.schema && key.relation === relation.name);
  return block([
    member("Row", blockOrNone(rows)),
    ...(insertable
      ? [member("Insert", blockOrNone(sorted.map((column) => insertMember(column, relation, types))))]
      : []),
    ...(updatable
      ? [member("Update", blockOrNone(sorted.map((column) => updateMember(column, relation, types))))]
      : []),
    member("Relationships", relationshipList(relationships)),
  ]);
}

/** The columns of views may be null: the catalog does not know better. */
function valueType({ type, nullable }: CatalogColumn, relation: CatalogRelation, types: TypeNames): string {
  return nullable || !isTable(relation) ? `${types.of(type)} | null` : types.of(type);
}

/** What the database computes alone can be given no value. */
function isComputed({ generated, identity }: CatalogColumn): boolean {
  return generated || identity === "a";
}

function insertMember(column: CatalogColumn, relation: CatalogRelation, types: TypeNames): string {
  if (isComputed(column)) return optional(column.name, "never");
  const may = column.nullable || column.default !== null || column.identity !== "" || !isTable(relation);
  const value = valueType(column, relation, types);
  return may ? optional(column.name, value) : member(column.name, value);
}

function updateMember(column: CatalogColumn, relation: CatalogRelation, types: TypeNames): string {
  return optional(column.name, isComputed(column) ? "never" : valueType(column, relation, types));
}

function relationshipList(keys: readonly CatalogForeignKey[]): string {
  if (keys.length === 0) return "[]";
  const entries = keys.map((key) =>
    block([
      member("foreignKeyName", JSON.stringify(key.name)),
      member("columns", JSON.stringify(key.columns)),
      member("isOneToOne", String(key.oneToOne)),
      member("referencedRelation", JSON.stringify(key.referencedRelation)),
      member("referencedColumns", JSON.stringify(key.referencedColumns)),
    ]),
  );
  return `[\n${indent(entries.join(",\n"))},\n]`;
}

/** Functions of one name are one member with a type for each form. */
function functionMembers(functions: readonly CatalogFunction[], catalog: Catalog, types: TypeNames): readonly string[] {
  const byName = Map.groupBy(functions, ({ name }) => name);
  return [...byName].map(([name, forms]) =>
    member(name, forms.map((form) => functionType(form, catalog, types)).join("\n| ")),
  );
}

function functionType(form: CatalogFunction, catalog: Catalog, types: TypeNames): string {
  const taken = form.arguments.filter(({ mode, name }) => ["i", "b", "v"].includes(mode) && name !== "");
  const members = taken.map(({ name, type, hasDefault }) =>
    hasDefault ? optional(name, types.of(type)) : member(name, types.of(type)),
  );
  const returned = `${returnType(form, catalog, types)}${form.returnsSet ? "[]" : ""}`;
  return block([member("Args", members.length === 0 ? "never" : block(members)), member("Returns", returned)]);
}

function returnType({ arguments: all, returns }: CatalogFunction, catalog: Catalog, types: TypeNames): string {
  const out = all.filter(({ mode }) => ["o", "b", "t"].includes(mode));
  if (out.length > 1 || out.some(({ mode }) => mode === "t")) {
    return block(out.map(({ name, type }, index) => member(name === "" ? `column${index + 1}` : name, types.of(type))));
  }
  const row = catalog.relations.find(({ schema, name }) => schema === returns.schema && name === returns.name);
  if (returns.kind !== "c" || row === undefined) return types.of(returns);
  return block(row.columns.map((column) => member(column.name, valueType(column, row, types))));
}

/** How types of the database are called in TypeScript. */
class TypeNames {
  readonly #catalog: Catalog;
  readonly #schemas: ReadonlySet<string>;

  constructor(catalog: Catalog, schemas: readonly string[]) {
    this.#catalog = catalog;
    this.#schemas = new Set(schemas);
  }

  of(type: TypeRef): string {
    const { inner } = type;
    if (inner !== undefined && inner !== null) return type.kind === "d" ? this.of(inner) : `${group(this.of(inner))}[]`;
    const known = type.schema === "pg_catalog" ? SCALARS[type.name] : EXTENSION_SCALARS[type.name];
    return known ?? this.#named(type) ?? "unknown";
  }

  #named({ schema, name }: TypeRef): string | undefined {
    const is = (one: { readonly schema: string; readonly name: string }): boolean =>
      one.schema === schema && one.name === name;
    const path = (kind: string): string =>
      `Database[${JSON.stringify(schema)}][${JSON.stringify(kind)}][${JSON.stringify(name)}]`;
    const found = this.#catalog.enums.find(is);
    if (found !== undefined) return this.#schemas.has(schema) ? path("Enums") : literals(found.values);
    if (!this.#schemas.has(schema)) return undefined;
    if (this.#catalog.composites.some(is)) return path("CompositeTypes");
    const relation = this.#catalog.relations.find(is);
    return relation === undefined ? undefined : `${path(isTable(relation) ? "Tables" : "Views")}["Row"]`;
  }
}

const STRINGS =
  "bpchar bytea char cidr date inet interval macaddr name text time timetz timestamp timestamptz uuid varchar xml tsvector";
const NUMBERS = "int2 int4 int8 float4 float8 numeric oid";

const SCALARS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(STRINGS.split(" ").map((name) => [name, "string"])),
  ...Object.fromEntries(NUMBERS.split(" ").map((name) => [name, "number"])),
  bool: "boolean",
  json: "Json",
  jsonb: "Json",
  record: "Record<string, unknown>",
  void: "undefined",
};
/** Types of extensions, in whatever schema they were installed. */
const EXTENSION_SCALARS: Readonly<Record<string, string>> = { citext: "string", vector: "string" };

function literals(values: readonly string[]): string {
  return values.length === 0 ? "never" : values.map((value) => JSON.stringify(value)).join(" | ");
}

function group(type: string): string {
  return /^[\w"[\]]+$/.test(type) ? type : `(${type})`;
}

function member(name: string, type: string): string {
  return `${nameOf(name)}: ${type}`;
}

function optional(name: string, type: string): string {
  return `${nameOf(name)}?: ${type}`;
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function block(members: readonly string[]): string {
  return `{\n${indent(members.join("\n"))}\n}`;
}

function blockOrNone(members: readonly string[]): string {
  return members.length === 0 ? block(["[_ in never]: never"]) : block(members);
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
