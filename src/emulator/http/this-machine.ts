import type { FastifyRequest } from "fastify";
import { hostOf, isLoopbackHost } from "../../base/proxy.ts";

/**
 * Whether a request comes from this machine, to a name of this machine. Without the second a web page could ask in the name of its reader,
 * under a name of its own that leads here (DNS rebinding).
 */
export function isOfThisMachine(request: FastifyRequest): boolean {
  const url = `http://${request.headers.host ?? ""}`;
  return isLoopbackHost(request.ip) && URL.canParse(url) && isLoopbackHost(hostOf(new URL(url)));
}
