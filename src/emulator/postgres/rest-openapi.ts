import type {
  Catalog,
  CatalogColumn,
  CatalogForeignKey,
  CatalogFunction,
  CatalogRelation,
  CatalogType,
} from "./catalog.ts";

/** The OpenAPI 2.0 document that the REST layer makes of a schema: a path for each table and view, and one for each function. */

type OpenApiObject = { readonly [key: string]: unknown };

const MEDIA_TYPES = ["application/json", "application/vnd.pgrst.object+json", "text/csv"] as const;

export interface RestOpenApiOptions {
  readonly schema: string;
  /** where the REST layer is, host and port */
  readonly host: string;
}

export function restOpenApi(catalog: Catalog, { schema, host }: RestOpenApiOptions): OpenApiObject {
  const relations = catalog.relations.filter((one) => one.schema === schema);
  const functions = Map.groupBy(
    catalog.functions.filter((one) => one.schema === schema),
    ({ name }) => name,
  );
  return {
    swagger: "2.0",
    info: { title: `standard ${schema} schema`, description: "", version: "13.0.5" },
    host,
    basePath: "/",
    schemes: ["https"],
    consumes: MEDIA_TYPES,
    produces: MEDIA_TYPES,
    paths: {
      "/": { get: { tags: ["Introspection"], summary: "OpenAPI description (this document)", responses: OK } },
      ...Object.fromEntries(relations.map((relation) => [`/${relation.name}`, relationPath(relation)])),
      ...Object.fromEntries(
        [...functions].map(([name, forms]) => [`/rpc/${name}`, functionPath(name, forms, catalog)]),
      ),
    },
    definitions: Object.fromEntries(relations.map((relation) => [relation.name, definition(relation, catalog)])),
    parameters: { ...COMMON_PARAMETERS, ...Object.fromEntries(relations.flatMap(relationParameters)) },
  };
}

const OK = { 200: { description: "OK" } } as const;

const header = (name: string, description: string, values?: readonly string[]): OpenApiObject => ({
  name,
  in: "header",
  type: "string",
  required: false,
  description,
  ...(values === undefined ? {} : { enum: values }),
});
const query = (name: string, description: string): OpenApiObject => ({
  name,
  in: "query",
  type: "string",
  required: false,
  description,
});

const RETURNS = ["return=representation", "return=minimal", "return=none"] as const;
const RESOLUTIONS = ["resolution=ignore-duplicates", "resolution=merge-duplicates"] as const;

const COMMON_PARAMETERS: Readonly<Record<string, OpenApiObject>> = {
  preferParams: header("Prefer", "Preference", ["params=single-object"]),
  preferReturn: header("Prefer", "Preference", RETURNS),
  preferCount: header("Prefer", "Preference", ["count=none"]),
  preferPost: header("Prefer", "Preference", [...RETURNS, ...RESOLUTIONS]),
  select: query("select", "Filtering Columns"),
  on_conflict: query("on_conflict", "On Conflict"),
  order: query("order", "Ordering"),
  range: header("Range", "Limiting and Pagination"),
  rangeUnit: { ...header("Range-Unit", "Limiting and Pagination"), default: "items" },
  offset: query("offset", "Limiting and Pagination"),
  limit: query("limit", "Limiting and Pagination"),
};

const refer = (name: string): OpenApiObject => ({ $ref: `#/parameters/${name}` });

function relationPath(relation: CatalogRelation): OpenApiObject {
  const { name, comment, insertable, updatable, columns } = relation;
  const filters = columns.map((column) => refer(`rowFilter.${name}.${column.name}`));
  const common = { tags: [name], ...(comment === null ? {} : { summary: comment }) };
  const rows = { type: "array", items: { $ref: `#/definitions/${name}` } };
  const paging = ["select", "order", "range", "rangeUnit", "offset", "limit", "preferCount"].map(refer);
  return {
    get: {
      ...common,
      parameters: [...filters, ...paging],
      responses: { 200: { description: "OK", schema: rows }, 206: { description: "Partial Content" } },
    },
    ...(insertable
      ? {
          post: {
            ...common,
            parameters: [`body.${name}`, "select", "preferPost"].map(refer),
            responses: { 201: { description: "Created" } },
          },
        }
      : {}),
    ...(updatable
      ? {
          delete: { ...common, parameters: [...filters, refer("preferReturn")], responses: NO_CONTENT },
          patch: {
            ...common,
            parameters: [...filters, refer(`body.${name}`), refer("preferReturn")],
            responses: NO_CONTENT,
          },
        }
      : {}),
  };
}

const NO_CONTENT = { 204: { description: "No Content" } } as const;

function relationParameters({ name, columns }: CatalogRelation): readonly (readonly [string, OpenApiObject])[] {
  return [
    [
      `body.${name}`,
      { name, in: "body", required: false, description: name, schema: { $ref: `#/definitions/${name}` } },
    ],
    ...columns.map((column): readonly [string, OpenApiObject] => [
      `rowFilter.${name}.${column.name}`,
      { ...query(column.name, column.comment ?? ""), format: formatOf(column.type) },
    ]),
  ];
}

function definition(relation: CatalogRelation, catalog: Catalog): OpenApiObject {
  const { comment, columns } = relation;
  const required = columns.filter(
    ({ nullable, default: value, identity }) => !nullable && value === null && identity === "",
  );
  return {
    type: "object",
    ...(comment === null ? {} : { description: comment }),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    properties: Object.fromEntries(columns.map((column) => [column.name, property(column, relation, catalog)])),
  };
}

function property(column: CatalogColumn, relation: CatalogRelation, catalog: Catalog): OpenApiObject {
  const { type, comment, default: value } = column;
  const notes = notesOn(column, relation, catalog.foreignKeys);
  const description = [comment, notes === "" ? null : `Note:\n${notes}`].filter((part) => part !== null).join("\n\n");
  const longest = /^character(?: varying)?\((\d+)\)$/.exec(type.format)?.[1];
  return {
    ...typeOf(type),
    ...(longest === undefined ? {} : { maxLength: Number(longest) }),
    ...valuesOf(type, catalog),
    ...(value === null ? {} : { default: defaultOf(value) }),
    ...(description === "" ? {} : { description }),
  };
}

function notesOn({ name }: CatalogColumn, relation: CatalogRelation, keys: readonly CatalogForeignKey[]): string {
  const key = keys.find(
    (one) => one.schema === relation.schema && one.relation === relation.name && one.columns.includes(name),
  );
  const target = key?.referencedColumns[key.columns.indexOf(name)];
  return [
    ...(relation.primaryKey.includes(name) ? ["This is a Primary Key.<pk/>"] : []),
    ...(key === undefined || target === undefined
      ? []
      : [
          `This is a Foreign Key to \`${key.referencedRelation}.${target}\`.<fk table='${key.referencedRelation}' column='${target}'/>`,
        ]),
  ].join("\n");
}

/** A constant is shown as its value, everything else as its expression. */
function defaultOf(expression: string): unknown {
  const literal = /^'((?:[^']|'')*)'::[\w\s."]+$/.exec(expression)?.[1];
  if (literal !== undefined) return literal.replaceAll("''", "'");
  if (expression === "true" || expression === "false") return expression === "true";
  return /^-?\d+(\.\d+)?$/.test(expression) ? Number(expression) : expression;
}

/** Reads and writes of functions that may write are POST alone. */
function functionPath(name: string, forms: readonly CatalogFunction[], catalog: Catalog): OpenApiObject {
  const [form] = forms;
  const taken = (form?.arguments ?? []).filter((one) => ["i", "b", "v"].includes(one.mode) && one.name !== "");
  const required = taken.filter((one) => !one.hasDefault).map((one) => one.name);
  const common = {
    tags: [`(rpc) ${name}`],
    ...(form === undefined || form.comment === null ? {} : { summary: form.comment }),
    produces: MEDIA_TYPES,
    responses: OK,
  };
  const schema = {
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(taken.map((one) => [one.name, argument(one.type, catalog)])),
  };
  const inQuery = taken.map((one) => ({
    ...argument(one.type, catalog),
    name: one.name,
    in: "query",
    required: !one.hasDefault,
    type: typeOf(one.type)["type"] ?? "string",
  }));
  return {
    ...(form?.volatility === "v" ? {} : { get: { ...common, parameters: inQuery } }),
    post: { ...common, parameters: [{ name: "args", in: "body", required: true, schema }, refer("preferParams")] },
  };
}

/** What may stand there, where that can be told: a schema cannot say that nothing may. */
function valuesOf(type: CatalogType, catalog: Catalog): OpenApiObject {
  const values = catalog.enums.find((one) => one.schema === type.schema && one.name === type.name)?.values ?? [];
  return values.length === 0 ? {} : { enum: values };
}

function argument(type: CatalogType, catalog: Catalog): OpenApiObject {
  return { ...typeOf(type), ...valuesOf(type, catalog) };
}

const JSON_TYPES: Readonly<Record<string, string>> = {
  bool: "boolean",
  int2: "integer",
  int4: "integer",
  int8: "integer",
  numeric: "number",
  float4: "number",
  float8: "number",
};

/** Of json there is no type, since it may be of any. */
function typeOf(type: CatalogType): OpenApiObject {
  const format = formatOf(type);
  if (type.kind !== "d" && type.inner !== null) {
    return { format, type: "array", items: { type: JSON_TYPES[type.inner.name] ?? "string" } };
  }
  const { name } = type.kind === "d" && type.inner !== null ? type.inner : type;
  return name === "json" || name === "jsonb" ? { format } : { format, type: JSON_TYPES[name] ?? "string" };
}

function formatOf({ schema, name, kind, format }: CatalogType): string {
  return kind === "e" || kind === "c" || kind === "d" ? `${schema}.${name}` : format.replace(/\(.*?\)/, "");
}
