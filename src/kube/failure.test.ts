import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { DeadlineError } from "../base/abort.ts";
import { failureOf, provesNothingHappened } from "./failure.ts";

function systemError(code: string, syscall?: string): Error {
  return Object.assign(new Error(`${syscall} ${code} 10.0.0.1:54321`), { code, ...(syscall && { syscall }) });
}

describe("provesNothingHappened", () => {
  const causes: readonly (readonly [unknown, boolean, string])[] = [
    [systemError("ECONNREFUSED", "connect"), true, "nobody listened"],
    [systemError("ETIMEDOUT", "connect"), true, "the connection was never made"],
    [systemError("ENOTFOUND", "getaddrinfo"), true, "there was nobody to send to"],
    [systemError("UND_ERR_CONNECT_TIMEOUT"), true, "the client gave up connecting"],
    [systemError("UND_ERR_PRX_CONN"), true, "the proxy made no tunnel"],
    [new AggregateError([systemError("ECONNREFUSED", "connect")]), true, "all addresses of a name refused"],
    [
      new AggregateError([systemError("ECONNREFUSED", "connect"), systemError("ECONNRESET", "read")]),
      false,
      "one of them may have taken it",
    ],
    [systemError("CERT_HAS_EXPIRED"), true, "who it is was not proven, so that nothing was sent"],
    [systemError("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), true, "another authority vouches for it"],
    [systemError("ERR_TLS_CERT_ALTNAME_INVALID"), true, "it is another host"],
    [systemError("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"), false, "the server's word may come after the request"],
    [systemError("ECONNRESET", "read"), false, "it was sent, and perhaps read"],
    [systemError("EPIPE", "write"), false, "part of it was sent"],
    [systemError("UND_ERR_SOCKET"), false, "the other side closed, nobody knows when"],
    [new Error("anything else"), false, "unknown is not proven"],
    ["not even an error", false, "unknown is not proven"],
  ];

  it.each(causes)("%s: %s (%s)", (error, expected) => {
    expect(provesNothingHappened(error)).toBe(expected);
  });
});

describe("failureOf", () => {
  it("is the caller's reason when the caller gave up, whatever broke because of it", () => {
    const reason = new Error("shutting down");
    const signal = AbortSignal.abort(reason);
    expect(failureOf(systemError("ECONNRESET"), { method: "PUT", path: "/x", signal })).toBe(reason);
  });

  it.each([
    ["GET", "none", "a read changes nothing, whatever became of it"],
    ["PUT", "unknown", "a write may have gone through"],
  ])("of a %s that ran out of time has effect %s: %s", (method, effect) => {
    expect(failureOf(new DeadlineError(500), { method, path: "/x" })).toMatchObject({ code: "Timeout", effect });
  });

  it("names the cause by its code alone: texts carry ports, and text that changes makes write loops", () => {
    const failure = failureOf(systemError("ECONNRESET", "read"), { method: "GET", path: "/x" });
    expect(failure).toMatchObject({ code: "Unavailable", message: "GET /x: no answer (ECONNRESET)" });
  });
});

it("keeps no byte of an answer that could not be read: it may hold the token", () => {
  const error = Object.assign(new Error("Invalid header"), { code: "HPE_INVALID", data: "Bearer t0ken" });
  expect(inspect(failureOf(error, { method: "GET", path: "/x" }))).not.toContain("t0ken");
});
