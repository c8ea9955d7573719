import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Answer } from "./answer.ts";
import { compressed } from "./encoding.ts";
import { type Fault, INJECTED } from "./faults.ts";

/** Puts an answer on the wire, whole or spoiled by a fault. */

/** Both sides of one request on the server. */
export interface HttpWire {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** @param fault one that acts on the answer; `delay` has been waited for already */
export function send({ request, reply }: HttpWire, answer: Answer, fault: Fault | undefined): void {
  switch (fault?.kind) {
    case undefined:
    case "delay":
      sendWhole(reply, compressed(answer, request.headers["accept-encoding"]));
      return;
    case "status":
    case "html":
      sendWhole(reply, { ...faultAnswer(fault), headers: { ...answer.headers, ...faultAnswer(fault).headers } });
      return;
    case "empty":
      sendWhole(reply, { ...answer, body: "" });
      return;
    case "truncated": {
      const body = Buffer.from(answer.body);
      const half = body.subarray(0, Math.floor(body.length / 2));
      if (fault.framing === "whole") sendWhole(reply, { ...answer, body: half });
      else sendCut(hijacked(reply), { ...answer, body: half }, body.length);
      return;
    }
    case "reset":
      reply.hijack();
      request.raw.socket.resetAndDestroy();
      return;
    case "half-open":
      reply.hijack();
      return;
    default:
      fault satisfies never;
  }
}

function sendWhole(reply: FastifyReply, { status, headers, body }: Answer): void {
  setExactly(reply, headers);
  // an empty string would be given a content type
  void reply.code(status).send(body.length === 0 ? undefined : typeof body === "string" ? body : Buffer.from(body));
}

/** Sets headers in the capitals in which they are written: Fastify would write all small, and some scripts read them to the letter. */
export function setExactly(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === name.toLowerCase()) void reply.header(name, value);
    else reply.raw.setHeader(name, value);
  }
}

/** Takes the raw response over, with the headers that were set so far: those that it has already keep their capitals. */
function hijacked(reply: FastifyReply): ServerResponse {
  const { raw } = reply;
  const headers = reply.getHeaders();
  reply.hijack();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !raw.hasHeader(name)) raw.setHeader(name, value);
  }
  return raw;
}

/** Sends an answer that promises a longer body than it has, and closes. One that has no body, as to a HEAD, ends after its headers. */
function sendCut(response: ServerResponse, { status, headers, body }: Answer, promised: number): void {
  response.writeHead(status, { ...headers, "content-length": promised });
  response.flushHeaders();
  response.write(body, () => response.socket?.destroySoon());
}

function faultAnswer(fault: Extract<Fault, { kind: "status" | "html" }>): Answer {
  if (fault.kind === "html") {
    const page = `<html><head><title>${fault.status}</title></head><body><h1>${fault.status}</h1><hr>proxy</body></html>\r\n`;
    return { status: fault.status, headers: { "content-type": "text/html" }, body: page };
  }
  const { body, headers } = fault;
  const text = typeof body === "string" ? body : JSON.stringify(body ?? INJECTED);
  return {
    status: fault.status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: text,
  };
}
