import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { identityOf } from "../access.ts";
import { ApiFailure } from "../failure.ts";
import { admitted, type AdmissionParts, type LimitHeaders } from "./admission.ts";
import { type Answer, failureAnswer } from "./answer.ts";

/**
 * Answers what the HTTP parser could not read: it has no method, path or token, so that it counts against the address and leaves no line in
 * the request log. Like every answer it is JSON and says the limits.
 */
export function answerUnreadable(parts: AdmissionParts, error: Error, socket: Socket): void {
  if (codeOf(error) === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { headers, refusal } = admitted(parts, `${identityOf(undefined, socket.remoteAddress ?? "")} `, undefined);
  const answer = failureAnswer(refusal ?? failureOf(error), "");
  socket.end(textOf(parts, answer, headers), () => socket.destroy());
}

function codeOf(error: Error): unknown {
  return "code" in error ? error.code : undefined;
}

/** In the words of Node.js' parser, which quote nothing of what came. */
function failureOf(error: Error): ApiFailure {
  switch (codeOf(error)) {
    case "HPE_HEADER_OVERFLOW":
      return new ApiFailure(431, "The headers are too large");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiFailure(408, "The request did not arrive in time");
    default:
      return new ApiFailure(400, "This is no HTTP request that can be read");
  }
}

function textOf({ world }: AdmissionParts, { status, headers, body }: Answer, limits: LimitHeaders): string {
  const lines = {
    ...limits,
    date: new Date(world.clock.now()).toUTCString(),
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...head, "", body.toString()].join("\r\n");
}
