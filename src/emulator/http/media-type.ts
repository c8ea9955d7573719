import type { FastifyRequest } from "fastify";

/** The media type of a request's body, in lower case and without parameters; empty where none is said. */
export function mediaTypeOf(request: FastifyRequest): string {
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
