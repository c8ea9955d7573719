import { describe, expect, test } from "vitest";
import { z } from "zod";
import { contract } from "./contract/contract.ts";
import { secret } from "./contract/fields.ts";
import { Verbatim, operation } from "./contract/operation.ts";
import type { Operation } from "./contract/operation.ts";
import { isApiError } from "./errors.ts";
import { prepareRequest } from "./request.ts";

const REF = "abcdefghijklmnopqrst";
const { branches, functions, organizations, profile, projects, secrets } = contract;

describe("input that is refused before anything is sent", () => {
  const cases: readonly {
    readonly why: string;
    readonly operation: Operation;
    readonly input: Readonly<Record<string, unknown>>;
    readonly message: string;
  }[] = [
    {
      why: "a ref that is none",
      operation: projects.get,
      input: { ref: "ABC" },
      message: "projects.get: ref: a project ref is exactly 20 lower-case letters",
    },
    {
      why: "a parameter that is missing",
      operation: projects.get,
      input: {},
      message: "projects.get: ref: is missing (a string)",
    },
    {
      why: "a parameter that does not exist",
      operation: projects.get,
      input: { ref: REF, colour: "red" },
      message: "projects.get: colour: no such parameter",
    },
    {
      why: "a body where there is none",
      operation: projects.get,
      input: { ref: REF, body: {} },
      message: "projects.get: body: no such parameter",
    },
    {
      why: "no body where there is one",
      operation: projects.update,
      input: { ref: REF },
      message: "projects.update: body: is missing (an object)",
    },
    {
      why: "an unknown key in the body",
      operation: projects.update,
      input: { ref: REF, body: { name: "shop", tier: "gold" } },
      message: 'projects.update: body: Unrecognized key: "tier"; known: name',
    },
    {
      why: "a value too long, which is not repeated",
      operation: secrets.create,
      input: { ref: REF, body: [{ name: "A", value: "x".repeat(24_577) }] },
      message: "secrets.create: body[0].value: Too big: expected string to have <=24576 characters",
    },
    {
      why: "a file path that would break the form",
      operation: functions.deploy,
      input: { ref: REF, body: { metadata: { entrypoint_path: "a" }, files: [{ path: 'a"\r\nX: y', content: "" }] } },
      message: "functions.deploy: body.files[0].path: a path has at least one character and no control characters",
    },
    {
      why: "a branch operation without the project whose budget it uses",
      operation: branches.get,
      input: { branch_id_or_ref: REF },
      message: "branches.get: parentRef: the ref of the branch's project must be told",
    },
  ];
  test.each(cases)("$why", ({ operation, input, message }) => {
    let thrown: unknown;
    try {
      prepareRequest(operation, input);
    } catch (error) {
      thrown = error;
    }
    expect(isApiError(thrown, "INVALID_REQUEST") && thrown.message).toBe(message);
  });
});

describe("the scope of a request (facts.md, head)", () => {
  const create = { name: "shop", db_pass: "p", organization_slug: "acme" };
  const parentRef = "tsrqponmlkjihgfedcba";
  const cases: readonly {
    readonly is: string;
    readonly of: Operation;
    readonly input: object;
    readonly scope: object;
  }[] = [
    { is: "the project of the path", of: projects.get, input: { ref: REF }, scope: { kind: "project", id: REF } },
    {
      is: "the organization of the path",
      of: organizations.get,
      input: { slug: "acme" },
      scope: { kind: "organization", id: "acme" },
    },
    {
      is: "the organization of the body",
      of: projects.create,
      input: { body: create },
      scope: { kind: "organization", id: "acme" },
    },
    {
      is: "the parent of a branch",
      of: branches.get,
      input: { branch_id_or_ref: REF },
      scope: { kind: "project", id: parentRef },
    },
    { is: "else the identity", of: profile.get, input: {}, scope: { kind: "identity", id: "" } },
  ];
  test.each(cases)("is $is", ({ of, input, scope }) => {
    expect(prepareRequest(of, { ...input }, parentRef).scope).toEqual(scope);
  });
});

test("a form is written as a form (endpoints.md, OAuth token), its secrets known", () => {
  const form = operation({
    ...profile.get,
    id: "oauth.token",
    method: "POST",
    body: {
      encoding: "form",
      schema: z.strictObject({
        grant_type: z.string(),
        client_secret: secret(z.string()),
        scope: z.string().optional(),
      }),
    },
    retry: "once",
  });
  const { http, secrets: found } = prepareRequest(form, { body: { grant_type: "a b&c", client_secret: "s=1" } });
  expect(http.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(http.body).toBe("grant_type=a%20b%26c&client_secret=s%3D1");
  expect(found).toEqual(["s=1"]);
});

test("optional parameters that are not given, or undefined, are not written", () => {
  const { http } = prepareRequest(organizations.listProjects, { slug: "acme", offset: 0, search: undefined });
  expect(http.path).toBe("/v1/organizations/acme/projects?offset=0");
});

describe("objects in a query (behaviour.md, cursor-paginated envelope)", () => {
  const list = operation({
    ...organizations.get,
    id: "organizations.listMembers",
    path: "/v2/organizations/{slug}/members",
    query: z.strictObject({
      page: z.strictObject({ size: z.number().optional(), after: z.string().optional() }).optional(),
      filter: z.strictObject({ name: z.string().optional(), roles: z.array(z.string()).optional() }).optional(),
    }),
  });
  const pathOf = (query: object): string =>
    decodeURIComponent(prepareRequest(list, { slug: "acme", ...query }).http.path);

  test.each([
    { query: { page: { size: 5 } }, path: "?page[size]=5", why: "a field is a parameter of its own" },
    {
      query: { page: { size: 5, after: "c 1" }, filter: { name: "a&b", roles: ["x", "y"] } },
      path: "?page[size]=5&page[after]=c 1&filter[name]=a&b&filter[roles]=x,y",
      why: "all of them, in order",
    },
    { query: { page: { size: undefined, after: "c" } }, path: "?page[after]=c", why: "undefined is not written" },
    { query: { page: {} }, path: "", why: "nor is an object without fields" },
  ])("$path: $why", ({ query, path }) => {
    expect(pathOf(query)).toBe(`/v2/organizations/acme/members${path}`);
  });

  test("are encoded, names too, and checked strictly", () => {
    const { http } = prepareRequest(list, { slug: "acme", filter: { name: "a&b" } });
    expect(http.path).toBe("/v2/organizations/acme/members?filter%5Bname%5D=a%26b");
    expect(() => pathOf({ page: { sizes: 5 } })).toThrow('organizations.listMembers: page: Unrecognized key: "sizes"');
  });
});

test("what a request names is no secret: its branch, and the project of that", () => {
  const { names } = prepareRequest(branches.merge, { branch_id_or_ref: "b".repeat(20) }, REF);
  expect(names).toEqual(["b".repeat(20), REF]);
});

describe("a body that is left out", () => {
  test("is an empty one where nothing is required of it, as on the wire", () => {
    const merge = (body: object) => prepareRequest(branches.merge, { branch_id_or_ref: REF, ...body }, REF).http;
    expect(merge({})).toEqual(merge({ body: {} }));
    expect(merge({}).body).toBe("{}");
  });

  test("is refused where something is, and so is null", () => {
    expect(() => prepareRequest(projects.create, {})).toThrow("projects.create: body");
    expect(() => prepareRequest(branches.merge, { branch_id_or_ref: REF, body: null }, REF)).toThrow("merge: body");
  });
});

describe("a body made of an answer", () => {
  const told = { work_mem: "8 megabytes", tomorrow_setting: [1, { deep: null }] };

  test("[K-19] is sent as it is where a request replaces a whole that a newer service knows more of", () => {
    const { http } = prepareRequest(contract.postgresConfig.replace, { ref: REF, body: new Verbatim(told) });
    expect([http.body, http.headers]).toEqual([
      JSON.stringify(told),
      expect.objectContaining({ "content-type": "application/json" }),
    ]);
  });

  test("is refused elsewhere, and without being marked as one", () => {
    expect(() => prepareRequest(contract.postgresConfig.replace, { ref: REF, body: told })).toThrow("body");
    expect(() => prepareRequest(contract.dataApi.update, { ref: REF, body: new Verbatim({ max_rows: 1 }) })).toThrow(
      "body",
    );
  });
});
