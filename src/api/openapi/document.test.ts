import { describe, expect, test } from "vitest";
import { z } from "zod";
import { operations } from "../contract/contract.ts";
import { branchIdOrRefSchema, noParams, noQuery, secret } from "../contract/fields.ts";
import { STANDARD_LIMIT, allOf, anyOf, isOpenToApps, operation } from "../contract/operation.ts";
import type { BodySpec, Operation } from "../contract/operation.ts";
import { openApiDocument } from "./document.ts";
import type { JsonObject } from "./json.ts";
import { shapes } from "./shapes.ts";

const parameterSchema = z.looseObject({ name: z.string(), in: z.enum(["path", "query"]), required: z.boolean() });
const operationSchema = z.looseObject({
  operationId: z.string(),
  parameters: z.array(parameterSchema).default([]),
  requestBody: z.looseObject({ required: z.boolean(), content: z.record(z.string(), z.unknown()) }).optional(),
  responses: z.record(z.string(), z.looseObject({ $ref: z.string().optional() })),
  security: z.array(z.record(z.string(), z.array(z.string()))),
});
const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

/** As it goes over the wire. */
function wire(document: JsonObject): unknown {
  return JSON.parse(JSON.stringify(document));
}

const options = { version: "1.2.3", serverUrl: "https://api.example.com" };
const whole = wire(openApiDocument(operations, options));
const { paths, components } = documentSchema.parse(whole);

function described({ path, method }: Operation): z.output<typeof operationSchema> {
  const found = paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`${method} ${path} is not in the document`);
  return found;
}

/** Every value of a key, wherever it stands. */
function valuesOf(node: unknown, key: string): readonly unknown[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]: readonly [string, unknown]): readonly unknown[] => [
    ...(name === key ? [value] : []),
    ...valuesOf(value, key),
  ]);
}

describe("the document of the whole contract", () => {
  test("says the same each time, and nothing that JSON cannot", () => {
    expect(wire(openApiDocument(operations, options))).toEqual(whole);
    expect(openApiDocument(operations, options)).toEqual(whole);
    expect(whole).toMatchObject({ info: { version: "1.2.3" }, servers: [{ url: "https://api.example.com" }] });
  });

  test("refers only to what it has", () => {
    const references = new Set(valuesOf(whole, "$ref"));
    expect(references.size).toBeGreaterThan(10);
    const missing = [...references].filter((reference) => {
      const keys = String(reference).replace(/^#\//, "").split("/");
      return keys.reduce<unknown>((node, key) => Reflect.get(Object(node), key), whole) === undefined;
    });
    expect(missing).toEqual([]);
    const used = new Set([...references].map((reference) => String(reference).split("/").at(-1)));
    expect(Object.keys(components.schemas).filter((name) => !used.has(name))).toEqual([]);
  });

  test("has each of the named shapes, and errors", () => {
    expect(Object.keys(components.schemas)).toEqual([...Object.keys(shapes), "Error"].toSorted());
  });

  test("has patterns that are regular expressions for everyone who reads JSON Schema", () => {
    for (const pattern of valuesOf(whole, "pattern")) expect(() => new RegExp(String(pattern), "u")).not.toThrow();
  });

  test("names no shape as Go names the constructor of another one", () => {
    const names = new Set(Object.keys(components.schemas));
    expect([...names].filter((name) => names.has(`New${name}`))).toEqual([]);
  });

  test("has only parameters of one type, which callers in every language can give", () => {
    const types = Object.values(paths)
      .flatMap((methods) => Object.values(methods).flatMap(({ parameters }) => parameters))
      .map(({ name, schema }) => [name, z.looseObject({ type: z.string() }).safeParse(schema).success]);
    expect(types.filter(([, isOne]) => isOne !== true)).toEqual([]);
  });

  test("has every operation once, and no other", () => {
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids.toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });
});

describe("an operation in it", () => {
  test.each(operations.map((one) => [one.id, one] as const))("%s", (id, one) => {
    const found = described(one);
    expect(found.operationId).toBe(id);
    const named = (place: string) => found.parameters.filter((parameter) => parameter.in === place);
    expect(named("path").map(({ name, required }) => [name, required])).toEqual(
      [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
    );
    const query = named("query").map(({ name }) => name.replace(/\[.*$/, ""));
    expect([...new Set(query)]).toEqual(Object.keys(one.query.shape));
    const statuses = Object.keys(found.responses).map(Number);
    expect(statuses).toEqual(expect.arrayContaining([one.success.status, ...one.errors, 429]));
    const onwards = one.browser === undefined ? [] : [303];
    expect(statuses).toEqual(expect.arrayContaining(onwards));
    expect(
      statuses.filter(
        (status) => ![one.success.status, ...onwards, ...one.errors, 400, 401, 403, 429].includes(status),
      ),
    ).toEqual([]);
    expect(found.requestBody === undefined).toBe(one.body === undefined);
    const apps = isOpenToApps(one) ? [{ oauth2: [...one.scopes] }] : [];
    expect(found.security).toEqual(one.access === "public" ? [] : [{ bearer: [] }, ...apps]);
    expect(found).toMatchObject({ "x-stability": one.stability, "x-retry": one.retry });
  });
});

describe("what OpenAPI has no word for, and what it has a special word for", () => {
  const base = operation({
    id: "things.get",
    summary: "Read a thing",
    method: "POST",
    path: "/v1/things/{id}",
    params: z.strictObject({ id: z.string() }),
    query: noQuery,
    success: { kind: "empty", status: 204 },
    errors: [],
    scopes: [],
    permissions: [],
    limitScope: "identity",
    stability: "stable",
    retry: "once",
  });
  const written = (one: Operation): unknown =>
    documentSchema.parse(wire(openApiDocument([one], options))).paths[one.path]?.[one.method.toLowerCase()];

  test.each([
    { given: { permissions: allOf("a", "b") }, says: { "x-permissions": [["a", "b"]] } },
    {
      given: { permissions: anyOf("a", "b") },
      says: { "x-permissions": [["a"], ["b"]] },
    },
    { given: { secretPermission: "s" }, says: { "x-secret-permission": "s" } },
    { given: { retry: "read" } as const, says: { security: [{ bearer: [] }, { oauth2: [] }] } },
    { given: { retry: "once" } as const, says: { security: [{ bearer: [] }] } },
    { given: { retry: "read", apps: "none" } as const, says: { security: [{ bearer: [] }] } },
    { given: { plans: ["pro", "team"] as const }, says: { "x-plans": ["pro", "team"] } },
    { given: { deprecated: true } as const, says: { deprecated: true } },
    { given: { apps: "partner" } as const, says: { "x-apps": "partner" } },
    {
      given: { params: z.strictObject({ id: branchIdOrRefSchema }) },
      says: {
        parameters: [
          { name: "id", schema: { description: expect.stringContaining("id is still taken, and deprecated") } },
        ],
      },
    },
    { given: {}, says: { "x-rate-limit-class": "standard", "x-rate-limit-scope": "identity" } },
    {
      given: { limitClass: { name: "logs", windows: [{ requests: 30, windowMs: 60_000 }] } },
      says: { "x-rate-limit-class": "logs" },
    },
    {
      given: { pagination: { by: "links", items: "data" } } as const,
      says: { "x-pagination": { by: "links", items: "data" } },
    },
    { given: { access: "public" } as const, says: { security: [] } },
  ])("$given", ({ given, says }) => {
    expect(written({ ...base, ...given })).toMatchObject(says);
  });

  test.each([
    {
      given: { errors: [404, 544] },
      statuses: ["204", "400", "401", "403", "404", "429", "544"],
      why: "what is listed",
    },
    { given: { access: "public" } as const, statuses: ["204", "400", "429"], why: "no token, no rights" },
    {
      given: { access: "public", browser: "sent on" } as const,
      statuses: ["204", "303", "400", "429"],
      why: "and whoever wants a page is sent on",
    },
  ])("any operation may be refused, or sent on, as facts.md says: $why", ({ given, statuses }) => {
    expect(Object.keys(operationSchema.parse(written({ ...base, ...given })).responses)).toEqual(statuses);
  });

  test.each([
    { body: undefined, content: undefined, why: "none where none is sent" },
    {
      body: {},
      content: { "application/json": { schema: { type: "object" }, example: {} } },
      why: "the catalogue's empty object",
    },
    {
      body: { message: "ok" },
      content: {
        "application/json": {
          schema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
          example: { message: "ok" },
        },
      },
      why: "words that are always the same",
    },
  ])("an answer that says nothing has the body that is sent: $why", ({ body, content }) => {
    const success = { kind: "empty", status: 200, ...(body === undefined ? {} : { body }) } as const;
    const { responses } = operationSchema.parse(written({ ...base, success }));
    expect(responses["200"]?.["content"]).toEqual(content);
  });

  test("a refusal may be the words alone", () => {
    const refused = { ...base, errors: [404], bareErrors: [404] };
    expect(openApiDocument([refused, { ...refused, path: "/v1/others/{id}", bareErrors: [] }], options)).toMatchObject({
      paths: {
        "/v1/things/{id}": { post: { responses: { 404: { $ref: "#/components/responses/NotFoundOrWords" } } } },
      },
      components: {
        responses: {
          NotFound: { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } },
          NotFoundOrWords: {
            content: {
              "application/json": { schema: { anyOf: [{ $ref: "#/components/schemas/Error" }, { type: "string" }] } },
            },
          },
        },
      },
    });
  });

  test("each limit class is told once, with its windows", () => {
    const limitClass = { name: "logs", windows: [{ requests: 30, windowMs: 60_000 }] };
    expect(openApiDocument([{ ...base, limitClass }], options)).toMatchObject({
      "x-rate-limit-classes": { standard: STANDARD_LIMIT.windows, logs: limitClass.windows },
    });
  });

  test.each([
    {
      field: z.strictObject({ size: z.number() }).optional(),
      says: { name: "value[size]", required: false, schema: { type: "number" } },
      why: "page[size]=1, for generators that do not know the style deepObject",
    },
    { field: z.strictObject({ size: z.number() }), says: { name: "value[size]", required: true }, why: "page[size]=1" },
    { field: z.array(z.enum(["db", "auth"])), says: { required: true, style: "form", explode: false }, why: "db,auth" },
    { field: z.boolean().default(false), says: { required: false, schema: { type: "boolean" } }, why: "true" },
  ])("a query parameter is written as $why", ({ field, says }) => {
    const query = z.strictObject({ value: field });
    expect(written({ ...base, query })).toMatchObject({ parameters: [{ in: "path" }, { in: "query", ...says }] });
  });

  const schema = z.strictObject({ a: z.string() });
  const object = { type: "object", required: ["a"], additionalProperties: false };
  const cases: readonly { readonly body: BodySpec; readonly required: boolean; readonly content: object }[] = [
    { body: { encoding: "json", schema }, required: true, content: { "application/json": { schema: object } } },
    {
      body: { encoding: "json", schema: schema.partial() },
      required: false,
      content: { "application/json": { schema: { type: "object" } } },
    },
    {
      body: { encoding: "json", schema, orForm: true },
      required: true,
      content: { "application/json": { schema: object }, "application/x-www-form-urlencoded": { schema: object } },
    },
    {
      body: { encoding: "form", schema },
      required: true,
      content: { "application/x-www-form-urlencoded": { schema: object } },
    },
    {
      body: { encoding: "bundle-or-json", mediaType: "application/x-bundle", schema },
      required: true,
      content: {
        "application/x-bundle": { schema: { type: "string", format: "binary" } },
        "application/json": { schema: object },
      },
    },
    {
      body: { encoding: "multipart", metadata: schema },
      required: true,
      content: {
        "multipart/form-data": {
          schema: { properties: { metadata: object, file: { type: "array" } }, required: ["metadata"] },
          encoding: { metadata: { contentType: "application/json" } },
        },
      },
    },
  ];
  test.each(cases)("a body: $body.encoding, $required", ({ body, required, content }) => {
    const { requestBody } = operationSchema.parse(written({ ...base, body }));
    expect(requestBody).toMatchObject({ required, content });
    expect(Object.keys(requestBody?.content ?? {})).toEqual(Object.keys(content));
  });

  test("a secret is a password", () => {
    const body = {
      encoding: "json",
      schema: z.strictObject({ key: secret(z.string().min(4)), other: z.string() }),
    } as const;
    expect(valuesOf(written({ ...base, body }), "properties")).toEqual([
      { key: { type: "string", minLength: 4, format: "password", "x-secret": true }, other: { type: "string" } },
    ]);
  });

  test("a count is a header", () => {
    const one = {
      ...base,
      method: "HEAD",
      params: noParams,
      path: "/v1/things",
      success: { kind: "count", status: 200 },
    } as const;
    expect(written(one)).toMatchObject({ responses: { 200: { headers: { "X-Total-Count": {} } } } });
  });
});
