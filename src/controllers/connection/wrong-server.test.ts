import { expect, it } from "vitest";
import { ApiError, type ApiFailure } from "../../api/errors.ts";
import { hintOf } from "./wrong-server.ts";

/** What `spec.baseUrl` has to do with it that nobody is there who can be asked. */

function failed(failure: ApiFailure, code?: string): ApiError {
  const cause = new Error("refused", { cause: Object.assign(new Error("deeper"), { code }) });
  return new ApiError("profile.get", failure, { message: "no", cause });
}

it.each<{ readonly failure: ApiFailure; readonly says: string }>([
  { failure: { code: "GONE", status: 404 }, says: "check host and path of spec.baseUrl" },
  { failure: { code: "GONE", status: 410 }, says: "check host and path of spec.baseUrl" },
  { failure: { code: "REFUSED", status: 405 }, says: "check host and path of spec.baseUrl" },
  { failure: { code: "BAD_REQUEST", status: 400 }, says: "check host and path of spec.baseUrl" },
  { failure: { code: "UNEXPECTED_RESPONSE" }, says: "check host and path of spec.baseUrl" },
  { failure: { code: "RESPONSE_TOO_LARGE" }, says: "check host and path of spec.baseUrl" },
  { failure: { code: "REDIRECTED", status: 301 }, says: "write the address that the server redirects to" },
])("$failure: $says", ({ failure, says }) => {
  expect(hintOf(failed(failure))).toContain(says);
});

it.each([
  { code: "ERR_SSL_WRONG_VERSION_NUMBER", says: "no TLS is spoken there: check scheme and port of spec.baseUrl" },
  { code: "ERR_SSL_PACKET_LENGTH_TOO_LONG", says: "no TLS is spoken there" },
  { code: "EPROTO", says: "no TLS is spoken there" },
  { code: "HPE_INVALID_CONSTANT", says: "no HTTP is spoken there: check scheme and port of spec.baseUrl" },
  { code: "ECONNREFUSED", says: "nothing listens there: check host and port of spec.baseUrl" },
  { code: "ENOTFOUND", says: "DNS does not know the host of spec.baseUrl" },
  { code: "EAI_AGAIN", says: "DNS does not answer for the host of spec.baseUrl" },
  { code: "ETIMEDOUT", says: "check host and port of spec.baseUrl, and the firewalls and proxies before it" },
  {
    code: "UND_ERR_CONNECT_TIMEOUT",
    says: "check host and port of spec.baseUrl, and the firewalls and proxies before it",
  },
  { code: "SELF_SIGNED_CERT_IN_CHAIN", says: "name the authority of its certificate with --ca-file" },
  { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE", says: "name the authority of its certificate with --ca-file" },
  { code: "CERT_HAS_EXPIRED", says: "its certificate has expired" },
  { code: "ERR_TLS_CERT_ALTNAME_INVALID", says: "its certificate is for other hosts than that of spec.baseUrl" },
])("no connection, $code: $says", ({ code, says }) => {
  expect(hintOf(failed({ code: "CONNECT_FAILED" }, code))).toContain(says);
});

it.each<{ readonly failure: ApiFailure; readonly why: string }>([
  { failure: { code: "UNAUTHORIZED", status: 401 }, why: "the token is wrong" },
  { failure: { code: "FORBIDDEN", status: 403 }, why: "the token may not" },
  { failure: { code: "UNAVAILABLE", status: 503 }, why: "the platform is down" },
  { failure: { code: "CONNECT_FAILED" }, why: "nobody knows" },
])("nothing where it has nothing to do with it: $why", ({ failure }) => {
  expect(hintOf(failed(failure, "ECONNRESET"))).toBeUndefined();
});
