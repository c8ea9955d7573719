import { z } from "zod";
import { DeadlineError } from "../base/abort.ts";
import { withoutQuotedBytes } from "../base/parser-error.ts";
import { KubeError, type KubeErrorCode } from "./errors.ts";

/** The part of a request that its failure depends on. */
interface FailedRequest {
  readonly method: string;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

const systemErrorSchema = z.object({ code: z.string().optional(), syscall: z.string().optional(), name: z.string() });

/** undici's own codes for a connection that was never made. */
const neverConnected = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_PRX_CONN", "UND_ERR_PRX_TLS"]);

/**
 * What Node.js says of a server's certificate that it does not take (OpenSSL's names of what verification finds, and its own of a wrong host): it
 * was to prove who the server is before a byte of the request is sent.
 */
const untrusted =
  /^(?:CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|ERROR_IN_CERT_|ERR_TLS_CERT_ALTNAME_)/u;

/**
 * What a request without a readable answer rejects with: the signal's reason when the caller aborted, else a KubeError that tells
 * whether the request may have done something.
 */
export function failureOf(error: unknown, request: FailedRequest): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  if (error instanceof KubeError) return error;
  const what = `${request.method} ${request.path}`;
  const read = request.method === "GET";
  if (error instanceof DeadlineError) {
    const message = `${what}: no answer within ${error.deadlineMs} ms`;
    return new KubeError("Timeout", message, { effect: read ? "none" : "unknown", cause: error });
  }
  const effect = read || provesNothingHappened(error) ? "none" : "unknown";
  return new KubeError("Unavailable", `${what}: no answer (${nameOf(error)})`, {
    effect,
    cause: withoutQuotedBytes(error),
  });
}

/** What is counted of requests whose answer has no status: words of KubeErrorCode, and `aborted` where the caller ended it. */
export const requestFailures = [
  "Unavailable",
  "Timeout",
  "Unauthorized",
  "UnexpectedResponse",
  "NotLeader",
  "aborted",
] as const satisfies readonly (KubeErrorCode | "aborted")[];

/** The word for a failure without a status. */
export function requestFailure({ code }: Pick<KubeError, "code">): (typeof requestFailures)[number] {
  return requestFailures.find((word) => word === code) ?? "UnexpectedResponse";
}

/** True when the connection was never established, so that no byte of the request can have arrived. */
export function provesNothingHappened(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(provesNothingHappened);
  const { code, syscall } = systemErrorSchema.safeParse(error).data ?? {};
  if (syscall === "connect" || syscall === "getaddrinfo") return true;
  return code !== undefined && (neverConnected.has(code) || untrusted.test(code));
}

/** A constant name for the cause: the texts of network errors carry ports and addresses that change. */
function nameOf(error: unknown): string {
  const { code, name } = systemErrorSchema.safeParse(error).data ?? {};
  return code ?? name ?? "unknown cause";
}
