import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";

/** What is asked for; a client that takes this server for a proxy says its address first. */
export function targetOf(request: FastifyRequest): string {
  return request.originalUrl.replace(/^https?:\/\/[^/?]*/i, "");
}

/**
 * A request's target for the router, which refuses one with a broken escape before it looks where that leads. As in a query, an escape that stands
 * for nothing is text (WHATWG URL, "percent-decode"): it leads to where any text leads, and is refused as any that is no ref, say.
 */
export function routableTarget({ url = "" }: Pick<IncomingMessage, "url">): string {
  const [path = ""] = /^[^?#]*/.exec(url) ?? [];
  if (!path.includes("%")) return url;
  const readable = path.replaceAll(/(?:%[\da-f]{2})+|%/gi, (escapes) =>
    stands(escapes) ? escapes : escapes.replaceAll("%", "%25"),
  );
  return `${readable}${url.slice(path.length)}`;
}

function stands(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}
