import type { FastifyInstance } from "fastify";
import { operations } from "../../api/contract/contract.ts";

/** Where the contract is served as an OpenAPI document. */
export const OPENAPI_PATH = "/openapi.json";

/**
 * `GET /openapi.json`: the contract, for whoever generates a client or reads it. It is no operation: it asks for no token, spends no budget
 * and leaves no line in the request log. Its version is the program's, however the emulator was started.
 */
export function openApiRoute(server: FastifyInstance): void {
  server.get(OPENAPI_PATH, async (request, reply) => {
    // Loaded when it is asked for: it would be the most of a start that nobody asks it of.
    const { openApiDocument } = await import("../../api/openapi/document.ts");
    const { programVersion } = await import("../../api/openapi/version.ts");
    const serverUrl = request.host === "" ? "/" : `${request.protocol}://${request.host}`;
    return reply
      .type("application/json; charset=utf-8")
      .send(openApiDocument(operations, { version: programVersion(), serverUrl }));
  });
}
