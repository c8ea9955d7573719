import type { z } from "zod";
import { isOpenToApps, STANDARD_LIMIT } from "../contract/operation.ts";
import type { BodySpec, Operation, ResponseSpec } from "../contract/operation.ts";
import { errorResponseName, errorStatuses } from "./errors.ts";
import { COUNT_HEADERS, RATE_HEADERS } from "./headers.ts";
import type { JsonObject } from "./json.ts";
import type { SchemaWriter } from "./schemas.ts";

/** One operation of the contract as an Operation Object of OpenAPI 3.1. What the standard has no word for stands in `x-` fields. */
export function operationObject(operation: Operation, schemas: SchemaWriter): JsonObject {
  const { apps, body, deprecated, pagination, permissions, plans, secretPermission } = operation;
  const parameters = [
    ...parametersOf(operation.params, "path", schemas),
    ...parametersOf(operation.query, "query", schemas),
  ];
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [sectionOf(operation)],
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: responsesOf(operation, schemas),
    security: securityOf(operation),
    "x-stability": operation.stability,
    "x-retry": operation.retry,
    ...(permissions.length === 0 ? {} : { "x-permissions": permissions }),
    ...(secretPermission === undefined ? {} : { "x-secret-permission": secretPermission }),
    ...(plans === undefined ? {} : { "x-plans": plans }),
    ...(apps === undefined ? {} : { "x-apps": apps }),
    "x-rate-limit-class": operation.limitClass?.name ?? STANDARD_LIMIT.name,
    "x-rate-limit-scope": operation.limitScope,
    ...(pagination === undefined ? {} : { "x-pagination": pagination }),
  };
}

/** The section of the contract, which is also the client's. */
export function sectionOf({ id }: Operation): string {
  return id.slice(0, id.indexOf("."));
}

/** A personal or fine-grained token, or, where apps may call it, an OAuth token with the scopes; an empty list: no token is asked for. */
function securityOf(operation: Operation): readonly JsonObject[] {
  if (operation.access === "public") return [];
  return [{ bearer: [] }, ...(isOpenToApps(operation) ? [{ oauth2: operation.scopes }] : [])];
}

function parametersOf(schema: z.ZodObject, place: "path" | "query", schemas: SchemaWriter): readonly JsonObject[] {
  return fieldsOf(schemas.write(schema, "input")).flatMap(({ name, required, written }) => {
    const inner = place === "query" && written["type"] === "object" ? fieldsOf(written) : [];
    if (inner.length === 0) return [{ name, in: place, required, ...styleOf(written), schema: written }];
    return inner.map((own) => ({
      name: `${name}[${own.name}]`,
      in: place,
      required: required && own.required,
      ...styleOf(own.written),
      schema: own.written,
    }));
  });
}

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly written: JsonObject;
}

function fieldsOf({ properties = {}, required = [] }: JsonObject): readonly Field[] {
  return Object.entries(Object(properties) as JsonObject).map(([name, written]) => ({
    name,
    required: Array.isArray(required) && required.includes(name),
    written: Object(written) as JsonObject,
  }));
}

/**
 * How the client writes a list, where it is not the standard's way (request.ts). An object is written as parameters of its own,
 * `page[size]=1`: the style deepObject says the same, but not every generator of clients knows it.
 */
function styleOf({ type }: JsonObject): JsonObject {
  return type === "array" ? { style: "form", explode: false } : {};
}

const BINARY = { type: "string", format: "binary" } as const;

function requestBody(body: BodySpec, schemas: SchemaWriter): JsonObject {
  switch (body.encoding) {
    case "json": {
      const schema = schemas.write(body.schema, "input");
      const content = { "application/json": { schema } };
      const form = body.orForm === true ? { "application/x-www-form-urlencoded": { schema } } : {};
      return { required: isRequired(body.schema), content: { ...content, ...form } };
    }
    case "form": {
      const schema = schemas.write(body.schema, "input");
      return { required: isRequired(body.schema), content: { "application/x-www-form-urlencoded": { schema } } };
    }
    case "multipart":
      return { required: true, content: multipart(schemas.write(body.metadata, "input")) };
    case "bundle-or-json": {
      const json = { schema: schemas.write(body.schema, "input") };
      return { required: true, content: { [body.mediaType]: { schema: BINARY }, "application/json": json } };
    }
    default:
      return body satisfies never;
  }
}

/** A body without required fields may be left out. */
function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse({}).success;
}

/** The parts of function deploys and bodies (facts.md §2): paths travel as file names. */
function multipart(metadata: JsonObject): JsonObject {
  const schema = {
    type: "object",
    properties: { metadata, file: { type: "array", items: BINARY } },
    required: ["metadata"],
  };
  return { "multipart/form-data": { schema, encoding: { metadata: { contentType: "application/json" } } } };
}

function responsesOf(operation: Operation, schemas: SchemaWriter): JsonObject {
  const { success } = operation;
  const failures = errorStatuses(operation).map((status): readonly [number, JsonObject] => [
    status,
    { $ref: `#/components/responses/${errorResponseName(operation, status)}` },
  ]);
  const page = operation.browser === undefined ? [] : [[303, TO_A_PAGE] as const];
  return Object.fromEntries([[success.status, successResponse(success, schemas)], ...page, ...failures]);
}

const TO_A_PAGE: JsonObject = {
  description: "Whoever accepts `text/html` is sent on to a page, which is outside this document.",
  headers: { ...RATE_HEADERS, Location: { schema: { type: "string", format: "uri-reference" } } },
};

function successResponse(success: ResponseSpec, schemas: SchemaWriter): JsonObject {
  const headers = RATE_HEADERS;
  switch (success.kind) {
    case "json": {
      const content = { "application/json": { schema: schemas.write(success.schema, "output") } };
      return { description: "Done.", headers, content };
    }
    case "empty":
      return { description: "Done. A body, if there is one, says nothing more.", headers, ...constant(success.body) };
    case "multipart": {
      const bundle = success.bundleMediaType === undefined ? {} : { [success.bundleMediaType]: { schema: BINARY } };
      const content = { ...multipart(schemas.write(success.metadata, "output")), ...bundle };
      return { description: "The files, named by their paths.", headers, content };
    }
    case "text":
      return { description: "Text.", headers, content: { "text/plain": { schema: { type: "string" } } } };
    case "count":
      return { description: "The count, in a header.", headers: COUNT_HEADERS };
    default:
      return success satisfies never;
  }
}

/** A body that is always the same one. */
function constant(body: Readonly<Record<string, string>> | undefined): JsonObject {
  if (body === undefined) return {};
  const names = Object.keys(body);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const fields = names.length === 0 ? {} : { properties, required: names };
  return { content: { "application/json": { schema: { type: "object", ...fields }, example: body } } };
}
