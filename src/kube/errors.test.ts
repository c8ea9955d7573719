import { describe, expect, it } from "vitest";
import { statusObject } from "../../test/support/kube-server/exchange.ts";
import { errorFromStatus, isKubeError, KubeError, parseStatus } from "./errors.ts";

const exchange = { method: "PUT", path: "/x" };

describe("errorFromStatus", () => {
  it.each([
    [400, "BadRequest", "Invalid", "the request itself is wrong"],
    [401, "Unauthorized", "Unauthorized", "the token was not accepted"],
    [403, "Forbidden", "Forbidden", "RBAC"],
    [404, "NotFound", "NotFound", "no such object or kind"],
    [405, "MethodNotAllowed", "UnexpectedResponse", "we ask for nothing that can be refused so"],
    [409, "Conflict", "Conflict", "an older resourceVersion, or fields of another manager"],
    [409, "AlreadyExists", "AlreadyExists", "told from a conflict by its reason"],
    [410, "Expired", "Gone", "the version was compacted away"],
    [410, "Gone", "Gone", "older apiservers name it so"],
    [413, "RequestEntityTooLarge", "Invalid", "the object is too large as it is"],
    [422, "Invalid", "Invalid", "validation, CEL rules, immutable fields"],
    [429, "TooManyRequests", "TooManyRequests", "priority and fairness"],
    [500, "InternalError", "ServerError", "also a failing webhook"],
    [504, "Timeout", "ServerError", "the apiserver's own deadline"],
    [302, "Found", "UnexpectedResponse", "a login page of a proxy"],
  ])("tells %i %s as %s: %s", (status, reason, code) => {
    const error = errorFromStatus(status, statusObject(status, reason), exchange);
    expect(error).toMatchObject({ code, status, reason, message: `${reason} says the server` });
  });

  it.each([
    [409, "none", "refused as a whole"],
    [429, "none", "not let in"],
    [500, "unknown", "it may have failed after the write"],
    [504, "unknown", "the write may still go through"],
  ])("%i has effect %s: %s", (status, effect) => {
    expect(errorFromStatus(status, undefined, exchange).effect).toBe(effect);
  });

  it("keeps the fields that the apiserver names, and its wait", () => {
    const details = {
      causes: [{ reason: "FieldValueInvalid", field: "spec.size", message: "too big" }],
      retryAfterSeconds: 3,
    };
    const error = errorFromStatus(422, statusObject(422, "Invalid", { details }), exchange);
    expect(error.causes).toEqual(details.causes);
    expect(error.retryAfterMs).toBe(3000);
  });

  it("prefers the header's wait to the body's", () => {
    const body = statusObject(429, "TooManyRequests", { details: { retryAfterSeconds: 3 } });
    expect(errorFromStatus(429, body, { ...exchange, retryAfterMs: 7000 }).retryAfterMs).toBe(7000);
  });

  it("says what was asked when something else than an apiserver answered", () => {
    expect(errorFromStatus(502, "<html>", exchange).message).toBe("PUT /x was answered 502");
  });

  it("cuts the pages that a refused definition can make the apiserver write", () => {
    const body = statusObject(422, "Invalid", { message: "x".repeat(100_000) });
    expect(errorFromStatus(422, body, exchange).message).toHaveLength(1024);
  });
});

describe("isKubeError", () => {
  it("tells by class and code", () => {
    const error = new KubeError("Conflict", "changed", { effect: "none" });
    expect(isKubeError(error)).toBe(true);
    expect(isKubeError(error, "Conflict")).toBe(true);
    expect(isKubeError(error, "Gone")).toBe(false);
    expect(isKubeError(new Error("Conflict"))).toBe(false);
  });
});

describe("parseStatus", () => {
  it("takes nothing else for a Status", () => {
    expect(parseStatus({ kind: "ConfigMap", code: 404 })).toBeUndefined();
    expect(parseStatus("Not Found")).toBeUndefined();
    expect(parseStatus(null)).toBeUndefined();
  });
});
