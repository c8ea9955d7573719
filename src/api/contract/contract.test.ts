import { describe, expect, test } from "vitest";
import { z } from "zod";
import { contract, operations } from "./contract.ts";
import { secret } from "./fields.ts";
import type { Operation } from "./operation.ts";
import { secretValues } from "./secret-fields.ts";

/** Schema types that secretValues walks through, and those that hold no other schema. */
const WALKED = new Set([
  "object",
  "array",
  "record",
  "union",
  "intersection",
  "pipe",
  "optional",
  "nullable",
  "default",
]);
const LEAVES = new Set(["string", "number", "boolean", "enum", "literal", "never", "unknown"]);

/** Operations that only read though they are POST: nothing is another way afterwards, so they may be sent again. */
const READING_POSTS: ReadonlySet<string> = new Set([
  "networkBans.list",
  "networkBans.listEnriched",
  "transfers.preview",
  "vanitySubdomain.checkAvailability",
]);

/** Every type of schema within a schema; what it checks beside them, as by refine, holds no part of a value. */
function typesIn(schema: z.core.$ZodType): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const { checks: _checks, ...parts } = def;
  const inner = Object.values(parts).flatMap((value: unknown): readonly unknown[] =>
    Array.isArray(value) ? value : [value],
  );
  const shape = def.type === "object" ? Object.values(def.shape) : [];
  return [def.type, ...[...inner, ...shape].filter((value) => value instanceof z.ZodType).flatMap(typesIn)];
}

/** Where a schema takes nothing but what is known today: an enum, a constant, an object that refuses or drops further fields. */
function closedIn(schema: z.core.$ZodType, at = "answer"): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "enum" || def.type === "literal" || def.type === "never") return [`${at}: ${def.type}`];
  if (def.type === "object") {
    const isOpen = def.catchall?._zod.def.type === "unknown";
    const fields = Object.entries(def.shape).flatMap(([name, field]) => closedIn(field, `${at}.${name}`));
    return isOpen ? fields : [`${at}: closed object`, ...fields];
  }
  const { checks: _checks, ...parts } = def;
  return Object.values(parts)
    .flatMap((value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]))
    .filter((value) => value instanceof z.ZodType)
    .flatMap((inner) => closedIn(inner, at));
}

function bodySchema({ body }: Operation): z.ZodType | undefined {
  return body === undefined ? undefined : body.encoding === "multipart" ? body.metadata : body.schema;
}

describe("every operation", () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
    const [section = "", verb = ""] = id.split(".");
    const sections: Readonly<Record<string, Readonly<Record<string, Operation>>>> = contract;
    expect(sections[section]?.[verb], "is found under its id").toBe(operation);
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(named, "declares the parameters of its path").toEqual(Object.keys(operation.params.shape));
    const shared = Object.keys(operation.query.shape).filter(
      (name) => name in operation.params.shape || name === "body",
    );
    expect(shared, "has no name twice, since the input is flat").toEqual([]);
    const reads = operation.method === "GET" || operation.method === "HEAD" || READING_POSTS.has(operation.id);
    expect(operation.retry === "read", "is repeated freely exactly when it reads").toBe(reads);
    const mayCreate = !reads && (operation.method === "POST" || operation.method === "PATCH");
    expect(!mayCreate || operation.retry === "once", "is never repeated blindly when it is a POST or PATCH").toBe(true);
    const schema = bodySchema(operation);
    const unknown =
      schema === undefined ? [] : typesIn(schema).filter((type) => !WALKED.has(type) && !LEAVES.has(type));
    expect(unknown, "has a body whose secrets are found").toEqual([]);
  });

  test("differs from every other in method and path", () => {
    const routes = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
    expect(new Set(routes).size).toBe(routes.length);
  });
});

describe("every answer", () => {
  const answers = operations.flatMap(({ id, success }): (readonly [string, z.ZodType])[] => {
    if (success.kind === "json") return [[id, success.schema]];
    return success.kind === "multipart" ? [[id, success.metadata]] : [];
  });

  test.each(answers)("of %s may have values and fields that nobody knows yet", (_id, schema) => {
    expect(closedIn(schema)).toEqual([]);
  });

  test("is seen to be closed where it is, at any depth", () => {
    const closed = z.looseObject({
      a: z.array(z.looseObject({ b: z.enum(["x"]).nullish() })),
      c: z.union([z.literal(1), z.string()]),
      d: z.record(z.string(), z.object({ e: z.string() })).optional(),
      f: z.strictObject({}),
    });
    expect(closedIn(closed)).toEqual([
      "answer.a.b: enum",
      "answer.c: literal",
      "answer.d: closed object",
      "answer.f: closed object",
    ]);
  });
});

describe("secret values of a body", () => {
  const cases: readonly { readonly id: string; readonly body: unknown; readonly secrets: readonly string[] }[] = [
    { id: "projects.create", body: { name: "shop", db_pass: "p1", organization_slug: "acme" }, secrets: ["p1"] },
    { id: "projects.updatePassword", body: { password: "p2" }, secrets: ["p2"] },
    {
      id: "secrets.create",
      body: [
        { name: "A", value: "v1" },
        { name: "B", value: "v2" },
      ],
      secrets: ["v1", "v2"],
    },
    { id: "branches.create", body: { branch_name: "b", secrets: { A: "v3", B: "v4" } }, secrets: ["v3", "v4"] },
    {
      id: "oauth.token",
      body: {
        client_id: "c",
        client_secret: "v5",
        code: "v6",
        code_verifier: "v7",
        refresh_token: "v8",
        assertion: "v9",
      },
      secrets: ["v5", "v6", "v7", "v8", "v9"],
    },
    {
      id: "oauth.revoke",
      body: { client_id: "c", client_secret: "v10", refresh_token: "v11" },
      secrets: ["v10", "v11"],
    },
    { id: "projects.update", body: { name: "shop" }, secrets: [] },
    { id: "projects.create", body: "not even an object", secrets: [] },
  ];
  test.each(cases)("$id $secrets", ({ id, body, secrets }) => {
    const operation = operations.find((one) => one.id === id);
    const schema = operation === undefined ? undefined : bodySchema(operation);
    expect(schema === undefined ? undefined : secretValues(schema, body)).toEqual(secrets);
  });

  test("are those of the alternative that the body itself names", () => {
    const schema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("open"), value: z.string() }),
      z.object({ kind: z.literal("closed"), value: secret(z.string()) }),
    ]);
    expect(secretValues(schema, { kind: "open", value: "a" })).toEqual([]);
    expect(secretValues(schema, { kind: "closed", value: "b" })).toEqual(["b"]);
    expect(secretValues(schema, { kind: "neither", value: "c" })).toEqual(["c"]);
  });

  test("are found through everything that may wrap a field", () => {
    const field = secret(z.string());
    const schema = z.intersection(
      z.object({ a: field.optional(), b: z.union([z.number(), field]), c: field.nullable().default("x") }),
      z.object({ d: z.array(z.record(z.string(), field)), e: z.string().transform(String).pipe(field) }),
    );
    expect(secretValues(schema, { a: "1", b: "2", c: "3", d: [{ k: "4" }], e: "5", f: "6" })).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
    ]);
  });
});
