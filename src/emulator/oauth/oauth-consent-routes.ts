import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiFailure, badRequest } from "../failure.ts";
import { mediaTypeOf } from "../http/media-type.ts";
import { isOfThisMachine } from "../http/this-machine.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { CONSENT_COOKIE, CONSENT_PATH } from "./oauth-authorize.ts";
import { approve, consentView, deny, openRequest } from "./oauth-consent.ts";
import { consentPage, errorPage, pageHeaders } from "./oauth-consent-page.ts";

/**
 * The consent page over HTTP, outside the contract (facts.md §6.14). For browsers of this machine under a name of this machine, so that no
 * other host's page can be one with it; an answer counts when it comes from the page itself (Origin), in the browser that was sent to it
 * (cookie), and once.
 */
export function consentRoutes(server: FastifyInstance, world: World, save: () => Promise<void>): void {
  type Route = { Params: { id: string } };
  const path = `${CONSENT_PATH}/:id`;
  server.get<Route>(path, (request, reply) =>
    answer(reply, () => {
      refuseStrangers(request);
      const wanted = openRequest(world, request.params.id);
      const headers = pageHeaders([formTarget(wanted.redirectUri)]);
      return { status: 200, headers, body: consentPage(consentView(world, wanted)) };
    }),
  );
  server.post<Route>(path, (request, reply) =>
    answer(reply, async () => {
      refuseStrangers(request);
      const { id } = request.params;
      refuseOtherPages(request, openRequest(world, id).browserDigest);
      try {
        return { status: 303, headers: { location: decide(world, id, fieldsOf(request)) }, body: "" };
      } finally {
        await save();
      }
    }),
  );
}

interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function answer(reply: FastifyReply, run: () => Page | Promise<Page>): Promise<FastifyReply> {
  let page: Page;
  try {
    page = await run();
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const body = errorPage("This cannot be authorized", error.message);
    page = { status: error.status, headers: pageHeaders([]), body };
  }
  return reply
    .code(page.status)
    .headers(page.headers)
    .send(page.body === "" ? undefined : page.body);
}

function decide(world: World, id: string, fields: URLSearchParams): string {
  const decision = fields.get("decision");
  if (decision === "deny") return deny(world, id);
  if (decision === "approve") return approve(world, id, fields.get("account") ?? "");
  throw badRequest("decision: expected approve or deny");
}

const FORM = "application/x-www-form-urlencoded";

function fieldsOf(request: FastifyRequest): URLSearchParams {
  if (mediaTypeOf(request) !== FORM) throw badRequest(`content-type: expected ${FORM}`);
  return new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "");
}

/** What a browser checks a redirect after a form against: an origin, or the scheme of an app on the user's machine. */
function formTarget(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === "null" ? protocol : origin;
}

function refuseStrangers(request: FastifyRequest): void {
  if (isOfThisMachine(request)) return;
  throw new ApiFailure(403, "The consent page is for browsers of this machine only.");
}

function refuseOtherPages(request: FastifyRequest, browserDigest: string): void {
  const { origin, host = "", cookie = "" } = request.headers;
  const prefix = `${CONSENT_COOKIE}=`;
  const sent = cookie.split(/; */).find((pair) => pair.startsWith(prefix));
  const digest = sha256(sent?.slice(prefix.length) ?? "");
  const sameBrowser = timingSafeEqual(Buffer.from(digest), Buffer.from(browserDigest));
  if (origin === `http://${host}` && sameBrowser) return;
  throw new ApiFailure(403, "The answer does not come from the page that asked.");
}
