import { isApiError } from "../../api/errors.ts";
import { causeChain, errorFacts } from "../../base/error-facts.ts";
import { TerminalError, TransientError } from "../../runtime/outcome.ts";
import { followedBy } from "../shared/followed-by.ts";

/** What to look at where the server of a connection, asked for what every token may read, is none that can answer. */

/** Codes of Node.js, OpenSSL and undici for a connection that was never there, and what they say of the base URL. */
const CONNECTION_HINTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ERR_SSL_|EPROTO$)/u, "no TLS is spoken there: check scheme and port of spec.baseUrl"],
  [/^HPE_/u, "no HTTP is spoken there: check scheme and port of spec.baseUrl"],
  [/^ECONNREFUSED$/u, "nothing listens there: check host and port of spec.baseUrl"],
  [/^ENOTFOUND$/u, "DNS does not know the host of spec.baseUrl"],
  [/^EAI_AGAIN$/u, "DNS does not answer for the host of spec.baseUrl"],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/u,
    "check host and port of spec.baseUrl, and the firewalls and proxies before it",
  ],
  [/^CERT_HAS_EXPIRED$/u, "its certificate has expired"],
  [/^ERR_TLS_CERT_ALTNAME_/u, "its certificate is for other hosts than that of spec.baseUrl"],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|UNABLE_TO_)/u,
    "name the authority of its certificate with --ca-file",
  ],
];

/** What the Management API answers to nobody who asks for what every token may read. */
const ELSEWHERE = [
  "GONE",
  "REFUSED",
  "BAD_REQUEST",
  "CONFLICT",
  "UNPROCESSABLE",
  "UNEXPECTED_RESPONSE",
  "RESPONSE_TOO_LARGE",
] as const;

/** What a failure to read whose token it is says of the base URL; undefined where that is not to blame. */
export function hintOf(error: unknown): string | undefined {
  if (isApiError(error, ...ELSEWHERE)) {
    return "check host and path of spec.baseUrl: what answers there is not the Management API";
  }
  if (isApiError(error, "REDIRECTED")) return "write the address that the server redirects to as spec.baseUrl";
  return isApiError(error, "CONNECT_FAILED", "CONNECTION_LOST", "CREDENTIAL") ? connectionHint(error) : undefined;
}

function connectionHint(error: unknown): string | undefined {
  const codes = causeChain(error).map((cause) => errorFacts(cause).code ?? "");
  return CONNECTION_HINTS.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1];
}

/** The same outcome, with the hint at the end of its words. */
export function withHint(outcome: unknown, hint: string | undefined): unknown {
  if (hint === undefined) return outcome;
  if (outcome instanceof TransientError) {
    const { reason, message, retryAfterMs, cause } = outcome;
    return new TransientError(reason, followedBy(message, hint), {
      cause,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  if (outcome instanceof TerminalError) {
    const { reason, message, recheckAfterMs, cause } = outcome;
    return new TerminalError(reason, followedBy(message, hint), {
      cause,
      ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }),
    });
  }
  return outcome;
}
