import type { Socket } from "node:net";
import { identityOf } from "../access.ts";
import { ApiFailure } from "../failure.ts";
import { admitted, type AdmissionParts, type LimitHeaders } from "./admission.ts";
import { type Answer, failureAnswer } from "./answer.ts";
import type { OwedAnswers } from "./owed-answers.ts";

export interface UnreadableParts extends AdmissionParts {
  readonly owed: OwedAnswers;
}

/** Not imported: an import evaluates every name of that module, a WebSocket client too, a twentieth of the time until the emulator listens. */
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Connections of which something could not be read: what comes after that is no request. */
const ending = new WeakSet<Socket>();

/**
 * Answers what the HTTP parser could not read: it has no method, path or token, so that it counts against the address and leaves no line in
 * the request log. Like every answer it is JSON and says the limits. It comes after the answers to what was read before it, and not at all where
 * the answer to the very request has begun: a client would take it for another one's, or for a part of it. Never rejects.
 */
export async function answerUnreadable(parts: UnreadableParts, error: Error, socket: Socket): Promise<void> {
  if (codeOf(error) === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  if (ending.has(socket)) return;
  ending.add(socket);
  const { owed } = parts;
  const own = owed.unfinished(socket);
  const { headers, refusal } = admitted(parts, `${identityOf(undefined, socket.remoteAddress ?? "")} `, undefined);
  const answer = failureAnswer(refusal ?? failureOf(error), "");
  await owed.given(socket);
  if (socket.destroyed || own?.headersSent === true) {
    socket.destroy();
    return;
  }
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
