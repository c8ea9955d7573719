import { describe, expect, it } from "vitest";
import { asError, causeChain, errorFacts, errorFields } from "./error-facts.ts";

describe("errorFacts", () => {
  it.each([
    { thrown: "secret text", facts: { message: "thrown value of type string" }, why: "a string may hold anything" },
    { thrown: undefined, facts: { message: "thrown value of type undefined" }, why: "nothing" },
    { thrown: {}, facts: { message: "error without a message" }, why: "an empty object" },
    {
      thrown: { message: 7, code: 8, retryAfterMs: "soon" },
      facts: { message: "error without a message" },
      why: "wrong types",
    },
    {
      thrown: { message: "m", code: "ERR_SSL_WRONG_VERSION_NUMBER", reason: "wrong version number" },
      facts: { message: "m", code: "ERR_SSL_WRONG_VERSION_NUMBER" },
      why: "a reason of OpenSSL is none of a condition",
    },
    {
      thrown: { message: "m", code: "Forbidden", reason: "NamespaceTerminating", effect: "none" },
      facts: { message: "m", code: "Forbidden", reason: "NamespaceTerminating", effect: "none" },
      why: "what the apiserver gave as its reason is told, which is more than the code",
    },
    { thrown: { message: "m", reason: "Mine" }, facts: { message: "m" }, why: "nobody says what the reason is of" },
    { thrown: { message: "m", retryAfterMs: -1 }, facts: { message: "m" }, why: "a negative time" },
    { thrown: { message: "m", retryAfterMs: 0 }, facts: { message: "m", retryAfterMs: 0 }, why: "no time to wait" },
  ])("takes a thrown value as it is: $why", ({ thrown, facts }) => {
    expect(errorFacts(thrown)).toEqual(facts);
  });

  it("survives a value whose properties throw", () => {
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error("trap");
        },
      },
    );
    expect(errorFacts(trap)).toEqual({ message: "error without a message" });
    expect(() => errorFields(trap)).not.toThrow();
  });
});

describe("asError", () => {
  it("leaves an error as it is, and keeps anything else as the cause of one, without its text", () => {
    const error = new TypeError("type");
    expect(asError(error)).toBe(error);
    expect(asError("secret text")).toMatchObject({ message: "thrown value that is no error", cause: "secret text" });
  });
});

describe("causeChain", () => {
  it("lists causes outermost first and ends where the chain bites its tail", () => {
    const inner = new Error("inner");
    const outer = new Error("outer", { cause: inner });
    inner.cause = outer;
    expect(causeChain(outer)).toEqual([outer, inner]);
  });
});

describe("errorFields", () => {
  it("tells codes and messages of the whole chain, and keeps own properties such as bodies out", () => {
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    const error = Object.assign(new Error("no connection", { cause }), { code: "Unavailable", body: "hunter2" });
    const fields = errorFields(error);
    expect(fields).toMatchObject({ code: "Unavailable", message: "no connection", causes: ["ECONNREFUSED: refused"] });
    expect(JSON.stringify(fields)).not.toContain("hunter2");
    expect(fields["stack"]).toContain("error-facts.test.ts");
  });

  it.each([
    { why: "somebody chose a reason for it", facts: { code: "TERMINAL", reason: "InvalidSpec" } },
    { why: "one of our clients tells its effect", facts: { code: "SERVER_ERROR", effect: "unknown" } },
  ])("has no stack of a failure that is foreseen: $why", ({ facts }) => {
    expect(errorFields(Object.assign(new Error("no"), facts))).not.toHaveProperty("stack");
  });

  it("has the stack of an error of OpenSSL, which words a reason of its own", () => {
    const error = Object.assign(new Error("no"), {
      code: "ERR_SSL_WRONG_VERSION_NUMBER",
      reason: "wrong version number",
    });
    expect(errorFields(error)).toHaveProperty("stack");
  });

  it("leaves the field `name` to the object that the line is about", () => {
    expect(Object.keys(errorFields(new TypeError("wrong")))).toEqual(["error", "message", "stack"]);
  });
});
