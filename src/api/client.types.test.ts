import { expect, expectTypeOf, test } from "vitest";
import type { ApiClient } from "./client.ts";
import { ApiError, isApiError } from "./errors.ts";
import type { InputOf, OutputOf } from "./contract/operation-id.ts";
import type { ProjectDetail } from "./contract/projects.ts";

/** Checked by tsc: the functions are never called. */
const ref = "abcdefghijklmnopqrst";

test("input and output of a call are typed from the contract", () => {
  const calls = {
    create: (client: ApiClient) =>
      client.projects.create({ body: { db_pass: "x", name: "n", organization_slug: "acme", region: "us-east-1" } }),
    list: (client: ApiClient) => client.projects.list(),
    get: (client: ApiClient) => client.projects.get({ ref }, { lane: "drift" }),
    health: (client: ApiClient) => client.projects.health({ ref, services: ["auth"], timeout_ms: 5 }),
    branch: (client: ApiClient) => client.branches.get({ branch_id_or_ref: ref }, { parentRef: ref }),
    deploy: (client: ApiClient) =>
      client.functions.deploy({
        ref,
        slug: "hello",
        body: { metadata: { entrypoint_path: "index.ts" }, files: [{ path: "index.ts", content: "" }] },
      }),
    body: (client: ApiClient) => client.functions.getBody({ ref, function_slug: "hello" }),
    secrets: (client: ApiClient) => client.secrets.create({ ref, body: [{ name: "A", value: "b" }] }),
  };
  expectTypeOf(calls.get).returns.resolves.toEqualTypeOf<ProjectDetail>();
  expectTypeOf(calls.list).returns.resolves.toEqualTypeOf<ProjectDetail[]>();
  expectTypeOf(calls.secrets).returns.resolves.toEqualTypeOf<undefined>();
  expectTypeOf(calls.body).returns.resolves.toHaveProperty("files");
});

test("input and output have names by an operation's id", () => {
  expectTypeOf<OutputOf<"projects.get">>().toEqualTypeOf<ProjectDetail>();
  expectTypeOf<InputOf<"projects.get">>().toExtend<{ readonly ref: string }>();
  expectTypeOf<InputOf<"secrets.delete">["body"]>().toEqualTypeOf<string[]>();
  expectTypeOf<OutputOf<"secrets.delete">>().toEqualTypeOf<undefined>();
});

test("a call that the contract does not know is a type error", () => {
  const wrong = {
    // @ts-expect-error ref is required
    missing: (client: ApiClient) => client.projects.get(),
    // @ts-expect-error no such parameter
    unknown: (client: ApiClient) => client.projects.get({ ref, colour: "red" }),
    value: (client: ApiClient) =>
      // @ts-expect-error no such region
      client.projects.create({ body: { db_pass: "x", name: "n", organization_slug: "a", region: "moon" } }),
    // @ts-expect-error a branch operation counts against its parent, which must be told
    parent: (client: ApiClient) => client.branches.get({ branch_id_or_ref: ref }),
  };
  expectTypeOf<ApiClient["projects"]>().not.toHaveProperty("explode");
  expectTypeOf(wrong).toBeObject();
});

test("what an error has follows from its code", () => {
  const error: unknown = new ApiError("x.y", { code: "BUDGET", retryAfterMs: 5, refusedForMs: 0 }, { message: "" });
  const told = (thrown: unknown): number | boolean => {
    if (isApiError(thrown, "BUDGET")) {
      expectTypeOf(thrown.retryAfterMs).toEqualTypeOf<number>();
      return thrown.retryAfterMs;
    }
    if (isApiError(thrown, "GONE", "CONFLICT")) {
      expectTypeOf(thrown.code).toEqualTypeOf<"GONE" | "CONFLICT">();
      expectTypeOf(thrown.status).toEqualTypeOf<number>();
      return thrown.status;
    }
    return isApiError(thrown) && thrown.retryable;
  };
  expect(told(error)).toBe(5);
});
