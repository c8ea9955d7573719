import { describe, expect, test } from "vitest";
import { ApiError, apiErrorCodes, codeOfStatus, isApiError } from "./errors.ts";
import type { Effect } from "../base/effect.ts";
import type { ApiErrorCode } from "./errors.ts";

describe("the code of a status", () => {
  const cases: readonly (readonly [status: number, code: ApiErrorCode, effect: Effect])[] = [
    [302, "REDIRECTED", "unknown"],
    [400, "BAD_REQUEST", "none"],
    [401, "UNAUTHORIZED", "none"],
    [402, "PLAN_REQUIRED", "none"],
    [403, "FORBIDDEN", "none"],
    [404, "GONE", "none"],
    [406, "GONE", "none"],
    [408, "UNAVAILABLE", "unknown"],
    [409, "CONFLICT", "none"],
    [418, "REFUSED", "none"],
    [422, "UNPROCESSABLE", "none"],
    [500, "SERVER_ERROR", "unknown"],
    [501, "SERVER_ERROR", "unknown"],
    [502, "UNAVAILABLE", "unknown"],
    [503, "UNAVAILABLE", "unknown"],
    [504, "UNAVAILABLE", "unknown"],
    [544, "UPSTREAM_TIMEOUT", "unknown"],
  ];
  test.each(cases)("%i is %s, effect %s", (status, code, effect) => {
    expect(codeOfStatus(status)).toBe(code);
    expect(apiErrorCodes[code].effect).toBe(effect);
  });

  test("no status stands for two codes", () => {
    const statuses = Object.values(apiErrorCodes).flatMap((facts) => facts.statuses as readonly number[]);
    expect(new Set(statuses).size).toBe(statuses.length);
  });

  test("no advice speaks of what only an operator does or has: the client is used alone as well", () => {
    const advice = Object.values(apiErrorCodes).map((facts) => facts.advice);
    expect(
      advice.filter((text) => /operator|leader|reconcil|cluster|Secret|Connection\b|is repeated/u.test(text)),
    ).toEqual([]);
  });
});

describe("an ApiError", () => {
  test("tells by its code what else it has", () => {
    const failure = { code: "BUDGET", retryAfterMs: 1500, refusedForMs: 9 } as const;
    const error: unknown = new ApiError("projects.get", failure, { message: "spent" });
    expect(isApiError(error, "BUDGET") && error).toMatchObject(failure);
    expect(isApiError(error, "GONE", "CONFLICT")).toBe(false);
    expect(isApiError(new Error("x"))).toBe(false);
  });

  test.each(["DEADLINE", "ABORTED"] as const)("%s has an unknown effect only once something was sent", (code) => {
    const effectOf = (sent: boolean): Effect => new ApiError("x.y", { code, sent }, { message: "" }).effect;
    expect([effectOf(true), effectOf(false)]).toEqual(["unknown", "none"]);
  });
});
