import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { differences, readCatalogue } from "../../../test/support/catalogue/compare.ts";
import { operations } from "./contract.ts";
import { OAUTH_SCOPES } from "./oauth.ts";
import type { LimitScope, Operation } from "./operation.ts";
import { operationOf } from "./operation-id.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../../../docs/contract/${name}.md`, import.meta.url), "utf8");
const documents = { endpoints: read("endpoints"), behaviour: read("behaviour"), facts: read("facts") };
const catalogue = readCatalogue(documents);

/** A difference between a row and its declaration that is meant. */
interface Exception {
  readonly ids: readonly string[];
  readonly differs: RegExp;
  /** what the documents say of it, word for word */
  readonly words: string;
  readonly because: string;
}

const EXCEPTIONS: readonly Exception[] = [
  {
    ids: ["actions.logs", "branches.diff"],
    differs: /^answer: \{\} \/ text$/,
    words: "'-> 200 {}' means an empty JSON object with no fields shown",
    because:
      "what a run wrote, and a diff of schemas, are text: the rows show nothing of it, nor does the message of the facts",
  },
  {
    ids: ["functions.getBody"],
    differs: /^answer: \{\}; .* \/ multipart$/,
    words: "function body GET | multipart/form-data when asked with that Accept (metadata part + file parts)",
    because: "the facts say what the row leaves open",
  },
  {
    ids: ["database.query", "database.queryReadOnly"],
    differs: /^answer : object \/ array$/,
    words: "B query R string, parameters O array of unknown. -> 201 {}",
    because: "SQL answers rows; the rows of the catalogue show no shape",
  },
  {
    ids: ["jitAccess.get", "jitAccess.update"],
    differs: /^answer unavailableReason: none \/ string$/,
    words: "{state unavailable, unavailableReason: postgres_upgrade_required, temporarily_unavailable, …}",
    because: "the facts name a form that the row does not",
  },
  {
    ids: ["logDrains.create", "logDrains.list", "logDrains.update"],
    differs: /^answer data(\[\])?\.attributes\.config\.\w+: \w+ \/ none$/,
    words: "Config forms (no other keys): webhook{url,http(http1/http2),gzip,headers}",
    because: "each backend has fields of its own: an answer's configuration is open",
  },
  {
    ids: ["ssoProviders.create", "ssoProviders.delete", "ssoProviders.get", "ssoProviders.list", "ssoProviders.update"],
    differs: /^answer .*attribute_mapping\.keys\{\}\.default: object \/ $/,
    words: "map from a name to {name string, names array of string, default object, array boolean}",
    because: "a default is a value of any attribute: a request may send any, and gets it back",
  },
  {
    ids: ["customHostname.delete"],
    differs: /^(stability: "stable" \/ "beta"|code 500: not listed \/ declared)$/,
    words: "DELETE /v1/projects/{ref}/custom-hostname\n(query remove_addon O boolean, default false) -> 200 {}",
    because: "the facts give neither marks nor codes: both are those of the other operations on a custom hostname",
  },
  {
    ids: [
      "advisors.performance",
      "advisors.security",
      "database.context",
      "database.enableWebhooks",
      "database.openapi",
      "database.query",
      "database.queryReadOnly",
      "database.typescriptTypes",
      "migrations.apply",
      "migrations.get",
      "migrations.list",
      "migrations.rollback",
      "migrations.update",
      "migrations.upsert",
      "branches.create",
      "branches.diff",
      "branches.merge",
      "branches.push",
      "branches.reset",
      "customHostname.activate",
      "customHostname.delete",
      "customHostname.get",
      "customHostname.initialize",
      "customHostname.reverify",
    ],
    differs: /^code 544: not listed/,
    words: "| SQL, hostnames | **544** | upstream timeout",
    because: "each of them runs SQL in the project's database, or asks the provider of hostnames",
  },
  {
    ids: ["projects.create", "projects.update", "branches.create", "branches.update"],
    differs: /^code 409: not listed/,
    words: "| POST projects same name in org | **409** | name already exists in your organization |",
    because: "a name that is taken is refused alike on renaming, and for branches",
  },
  {
    ids: ["functions.create", "functions.deploy"],
    differs: /^code 409: not listed/,
    words: "| function deploy | 402 / 409 / 400 / 500 |",
    because: "section 5",
  },
  {
    ids: ["branches.list"],
    differs: /^code 422: not listed/,
    words: "| branches list with branching off | 422 (older) or 200 [] (now) |",
    because: "section 5",
  },
  {
    ids: [
      "branches.create",
      "branches.delete",
      "branches.merge",
      "branches.push",
      "branches.reset",
      "branches.restore",
      "branches.update",
    ],
    differs: /^code 422: not listed/,
    words: "| delete default branch / persistent branch | 422 | default can't be deleted;",
    because: "what cannot be done with a branch as it is, is refused alike by all that change one",
  },
  {
    ids: ["authConfig.update"],
    differs: /^code 402: not listed/,
    words: "| auth PATCH echoing plan-gated hook fields | 4xx | hooks only on higher plans |",
    because: "of the codes beginning with 4, the one for plans",
  },
  {
    ids: ["projects.create"],
    differs: /^code 402: not listed/,
    words: "Plan-restricted endpoints (see Limits) list 402 among their codes.",
    because: "a plan has room for so many projects; what answers when it is full is not shown",
  },
  {
    ids: operations.filter(({ method, path }) => method === "GET" && path.includes("/config/")).map(({ id }) => id),
    differs: /^code 406: not listed/,
    words: "| config GETs of a deleted project | 404 or **406** |",
    because: "section 5",
  },
  {
    ids: ["snippets.get"],
    differs: /^code 406: not listed/,
    words: "| GET snippet unknown | **406** |",
    because: "section 5",
  },
];

const excuses = (id: string): readonly Exception[] => EXCEPTIONS.filter(({ ids }) => ids.includes(id));

describe("the text of the catalogue", () => {
  test("has a row for every operation, and an operation for every row", () => {
    const route = ({ method, path }: Pick<Operation, "method" | "path"> | { method: string; path: string }): string =>
      `${method} ${path}`;
    const rows = catalogue.rows.map(route);
    expect(rows).toHaveLength(168);
    expect(operations.map(route).toSorted()).toEqual(rows.toSorted());
  });

  test("is read whole: only one remark is no field", () => {
    const lists = catalogue.rows.flatMap(({ query, body }) => (body === undefined ? [query] : [query, body]));
    expect(lists.flatMap(({ remarks }) => remarks)).toEqual(["the encoding of these body parts is not shown"]);
    const found = {
      query: catalogue.rows.flatMap(({ query }) => query.fields).length,
      body: catalogue.rows.flatMap(({ body }) => body?.fields ?? []).length,
      answers: catalogue.rows.reduce((sum, { answer }) => sum + catalogue.shapeOf(answer.shape).size - 1, 0),
    };
    expect(found).toEqual({ query: 82, body: 147, answers: 1739 });
  });

  test.each(operations.map((operation) => [operation.id, operation] as const))(
    "says what %s declares",
    (id, operation) => {
      const known = excuses(id);
      expect(
        differences(operation, catalogue).filter((words) => !known.some(({ differs }) => differs.test(words))),
      ).toEqual([]);
    },
  );

  test.each(EXCEPTIONS)("is deviated from where it says $words", ({ ids, differs, words }) => {
    expect(Object.values(documents).some((text) => text.includes(words))).toBe(true);
    const stale = ids.filter(
      (id) =>
        !operations.some((one) => one.id === id && differences(one, catalogue).some((said) => differs.test(said))),
    );
    expect(stale).toEqual([]);
  });
});

describe("the scopes", () => {
  test("are all that the text names, and those that operations ask for", () => {
    const [, words = ""] = /^4\. OAuth scope names appearing: (.*)\.$/m.exec(documents.behaviour) ?? [];
    expect([...OAUTH_SCOPES].toSorted()).toEqual(words.split(", ").toSorted());
    expect([...new Set(operations.flatMap(({ scopes }) => scopes))].toSorted()).toEqual(words.split(", ").toSorted());
  });
});

describe("a declaration that says something else", () => {
  const create = operationOf("projects.create");
  const jsonBody = (schema: z.ZodType) => ({ encoding: "json", schema }) as const;
  const cases: readonly { readonly wrong: Partial<Operation>; readonly of?: Operation; readonly says: string }[] = [
    { wrong: { path: "/v1/project" }, says: "row: none / declared" },
    { wrong: { scopes: [] }, says: 'scopes: ["projects:write"] / []' },
    { wrong: { permissions: [["a"], ["b"]] }, says: 'permissions: [["organization_projects_create"]] / [["a"],["b"]]' },
    { wrong: { plans: ["pro"] }, says: 'plans: [] / ["pro"]' },
    { wrong: { success: { ...create.success, status: 200 } }, says: "success: 201 / 200" },
    { wrong: { success: { kind: "empty", status: 201 } }, says: "answer: Project / empty" },
    { wrong: { errors: [401, 403] }, says: "code 429: listed / missing" },
    { wrong: { errors: [401, 403, 429, 418] }, says: "code 418: not listed / declared" },
    { wrong: { stability: "beta" }, says: 'stability: "stable" / "beta"' },
    { wrong: { deprecated: true }, says: "deprecated: false / true" },
    { wrong: { query: z.object({ dry: z.boolean() }) }, says: "query dry: none / boolean" },
    { wrong: { body: jsonBody(z.object({ name: z.string().optional() })) }, says: 'body name: "R" / "O"' },
    { wrong: { body: jsonBody(z.object({ name: z.number() })) }, says: "body name: string / number" },
    {
      wrong: { body: jsonBody(z.object({ plan: z.string().optional() })) },
      says: "body plan deprecated: true / false",
    },
    { wrong: { body: jsonBody(z.array(z.string())) }, says: "array of string" },
    {
      wrong: { success: { kind: "json", status: 201, schema: z.object({ ref: z.int() }) } },
      says: "answer ref: string / integer",
    },
    {
      of: operationOf("addons.list"),
      wrong: { success: { kind: "json", status: 200, schema: z.object({ selected_addons: z.array(z.object({})) }) } },
      says: "answer selected_addons[].variant.price.amount: number / none",
    },
  ];

  test.each(cases)("is found: $says", ({ wrong, of = create, says }) => {
    expect(differences({ ...of, ...wrong }, catalogue).join("\n")).toContain(says);
  });
});

describe("limits", () => {
  const MS: Readonly<Record<string, number>> = { second: 1000, minute: 60_000, minutes: 60_000 };
  const rows = [...documents.behaviour.matchAll(/^\| (GET|POST|DELETE) (\S+) \| (\d+) requests? \| (\d+) (\w+)/gm)].map(
    ([, method = "", path = "", requests, count, unit = ""]) => ({
      operation: boundTo(method, path),
      window: { requests: Number(requests), windowMs: Number(count) * (MS[unit] ?? Number.NaN) },
    }),
  );

  /** "the catalogue operation with the same method and the same last path segments" (facts.md, Limits) */
  function boundTo(method: string, path: string): string | undefined {
    const shared = (other: string): number => {
      const [own, theirs] = [path, other].map((one) => one.split("/").toReversed());
      return own?.findIndex((segment, at) => segment !== theirs?.[at]) ?? 0;
    };
    const best = Math.max(...operations.map((one) => (one.method === method ? shared(one.path) : 0)));
    const [found, another] = operations.filter((one) => one.method === method && shared(one.path) === best);
    return another === undefined && best > 0 ? found?.id : undefined;
  }

  test("of their own have the ten rows of the table, and no other operation", () => {
    expect(rows).toHaveLength(10);
    const classes = operations.flatMap(({ id, limitClass }) =>
      (limitClass?.windows ?? []).map((window) => ({ operation: id, window })),
    );
    const order = (row: object): string => JSON.stringify(row);
    expect(classes.map(order).toSorted()).toEqual(rows.map(order).toSorted());
  });

  test("of their own are counted apart: each class has a name that no other has", () => {
    const names = operations.flatMap(({ limitClass }) => (limitClass === undefined ? [] : [limitClass.name]));
    expect(new Set(names).size).toBe(9);
    expect(names).toHaveLength(9);
  });

  /** facts.md, "Scope of a request" */
  function scopeOf({ method, path }: Operation): LimitScope {
    if (`${method} ${path}` === "POST /v1/projects") return "bodyOrganization";
    if (path.startsWith("/v1/branches/")) return "branchParent";
    if (path.includes("{ref}")) return "project";
    return path.includes("{slug}") ? "organization" : "identity";
  }

  test("count by the scope of the facts", () => {
    expect(operations.filter((one) => one.limitScope !== scopeOf(one)).map(({ id }) => id)).toEqual([]);
  });
});
