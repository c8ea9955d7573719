import type { FastifyRequest } from "fastify";
import { hostOf, isLoopbackHost } from "../../base/proxy.ts";

/** Where an emulator listens that listens everywhere, and how it says where it is: nobody's name either. */
const UNSPECIFIED: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * Whether a request comes from this machine, to a name of this machine. Without the second a web page could ask in the name of its reader,
 * under a name of its own that leads here (DNS rebinding).
 */
export function isOfThisMachine(request: FastifyRequest): boolean {
  const url = `http://${request.headers.host ?? ""}`;
  if (!isLoopbackHost(request.ip) || !URL.canParse(url)) return false;
  const host = hostOf(new URL(url));
  return isLoopbackHost(host) || UNSPECIFIED.has(host);
}
