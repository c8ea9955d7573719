import multipart from "@fastify/multipart";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { operations } from "../../api/contract/contract.ts";
import { badRequest, noRoute } from "../failure.ts";
import type { Handlers } from "../handlers/handler.ts";
import { BODY_LIMIT } from "./body.ts";
import { type ExchangeParts, leadsNowhere, refuse, type Route, serve } from "./exchange.ts";
import { OwedAnswers } from "./owed-answers.ts";
import { routableTarget, targetOf } from "./target.ts";
import { answerTunnel } from "./tunnel.ts";
import { answerUnreadable } from "./unreadable.ts";

/** Not imported: see unreadable.ts. */
const { maxHeaderSize } = process.getBuiltinModule("node:http");

/** The HTTP server: one route for each operation of the contract, none written by hand. */

export async function createServer(parts: ExchangeParts, handlers: Handlers): Promise<FastifyInstance> {
  const owed = new OwedAnswers();
  const server = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true, // connections that a fault left open end with the server
    rewriteUrl: routableTarget,
    routerOptions: { maxParamLength: maxHeaderSize }, // no request has more
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // Node.js answers this by itself, without a word and without limit headers; the exchange refuses it as it refuses anything
    http: { requireHostHeader: false },
    clientErrorHandler: (error, socket) => void answerUnreadable({ ...parts, owed }, error, socket),
    frameworkErrors: (_error, request, reply) => void refuse(parts, unroutable(request), { request, reply }),
  });
  server.server.prependListener("request", (request, response) => owed.note(request, response));
  // An expectation of something else than 100-continue may be ignored (RFC 9110, 10.1.1)
  server.server.on("checkExpectation", (request, response) => server.server.emit("request", request, response));
  server.server.on("connect", (request) => void answerTunnel(server.server, owed, request));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  await server.register(multipart, { limits: { fileSize: BODY_LIMIT, parts: 10_000, files: 10_000 } });
  server.setNotFoundHandler((request, reply) =>
    refuse(parts, noRoute(request.method, targetOf(request)), { request, reply }),
  );
  // What leads nowhere is told so, whatever else the server library finds wrong about it
  server.setErrorHandler((error, request, reply) =>
    refuse(parts, leadsNowhere(request) ? noRoute(request.method, targetOf(request)) : error, { request, reply }),
  );
  // HEAD first: a GET brings a HEAD of its own unless there is one
  for (const route of routesOf(handlers).toSorted(headFirst)) {
    server.route({
      method: route.operation.method,
      url: route.operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      handler: (request, reply) => serve(parts, route, { request, reply }),
    });
  }
  return server;
}

/** The router cannot read what has no path at all, as the host and port of a CONNECT: no route leads there. Nor a URL without a server. */
function unroutable(request: FastifyRequest): Error {
  const target = targetOf(request);
  if (!target.startsWith("/")) return noRoute(request.method, target);
  return badRequest("The target of the request is no path or URL that can be read");
}

/** Routes have no schema of the server library's own: without this it loads its compilers at every start, a fifth of all modules. */
function noCompiler(): never {
  throw new TypeError("requests and answers are checked by the contract's schemas");
}

function headFirst(a: Route, b: Route): number {
  return Number(b.operation.method === "HEAD") - Number(a.operation.method === "HEAD");
}

/** Every operation with its handler. */
function routesOf(handlers: Handlers): readonly Route[] {
  const sections: Readonly<Record<string, Readonly<Record<string, unknown>>>> = handlers;
  return operations.map((operation) => {
    const [section = "", verb = ""] = operation.id.split(".");
    const handler = sections[section]?.[verb];
    if (handler === undefined) throw new TypeError(`${operation.id} is not filed under its own id in the contract`);
    // What Handlers proved is erased here: each handler takes what the schemas of its own operation give, and it is called with
    // exactly that, since the exchange checks by the same operation.
    return { operation, handler: handler as Route["handler"] };
  });
}
