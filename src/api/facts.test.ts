import { describe, expect, expectTypeOf, test } from "vitest";
import { operations } from "./contract/contract.ts";
import { STANDARD_LIMIT } from "./contract/operation.ts";
import type { OperationId } from "./contract/operation-id.ts";
import { operationFacts } from "./facts.ts";

describe("the facts of an operation", () => {
  test("say what a caller needs to know before the call", () => {
    expect(operationFacts("projects.create")).toMatchObject({
      id: "projects.create",
      method: "POST",
      path: "/v1/projects",
      retry: "once",
      limitScope: "bodyOrganization",
      limits: [STANDARD_LIMIT],
      scopes: ["projects:write"],
      permissions: [["organization_projects_create"]],
      deprecated: false,
      access: "token",
    });
    expect(operationFacts("projects.get").retry).toBe("read");
    expect(operationFacts("functions.create").deprecated).toBe(true);
  });

  test("are there for every operation, and for nothing else", () => {
    expectTypeOf("projects.get" as const).toExtend<OperationId>();
    expectTypeOf("projects.explode" as const).not.toExtend<OperationId>();
    const ids = operations.map(({ id }) => operationFacts(id as OperationId).id);
    expect(ids).toHaveLength(operations.length);
    expect(() => operationFacts("projects.explode" as OperationId)).toThrow("no operation projects.explode");
  });
});
