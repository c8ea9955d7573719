import { expect } from "vitest";
import type { Operation } from "../../../src/api/contract/operation.ts";
import type { EmulatorUnderTest, Received } from "../../support/emulator/api.ts";
import { REF } from "../../support/emulator/every-call.ts";
import { askToken, tokensOf } from "../../support/emulator/oauth.ts";
import { askFor, callOf } from "../../support/emulator/refusal.ts";

/** Refusals that all operations of a kind have in common: asked as when they succeed, by whom or when they may not. */

export interface GeneralRefusal {
  readonly status: number;
  readonly because: string;
  /** the words; of several, parts of them */
  readonly says: (operation: Operation) => readonly string[];
  readonly meets: (operation: Operation) => boolean;
  /** how many requests a minute: 0 for any number */
  readonly requestsPerMinute: number;
  /** what has happened before. @returns the token that is asked with */
  readonly given?: (under: EmulatorUnderTest, operation: Operation) => Promise<string>;
  readonly ask: (under: EmulatorUnderTest, operation: Operation, token: string | undefined) => Promise<Received>;
}

const hasProject = ({ path }: Operation): boolean => path.includes("{ref}");
const asksForToken = ({ access }: Operation): boolean => access !== "public";
const failing = (operation: string) => ({ operation, fault: { kind: "status", status: 500 } }) as const;
const always = (): boolean => true;

/** The authorization and the token endpoint of RFC 6749, which take what they do not know (§3.1 and §3.2 there). */
const TOLERANT = new Set(["oauth.authorize", "oauth.token"]);

function askOfNothing(under: EmulatorUnderTest, id: string): Promise<Received> {
  return askFor(under, id, { path: callOf(id).path.replace(REF, "z".repeat(20)) });
}

/** One that may do least: without any permission, or, where none is listed, of an app that was approved for nothing. */
async function poorToken(under: EmulatorUnderTest, { permissions }: Operation): Promise<string> {
  if (permissions.length > 0) {
    await under.control.tokens.add({ token: "narrow", user: "owner", permissions: [] });
    return "narrow";
  }
  const consent = { clientId: "app", user: "owner", organization: "acme", scopes: [] };
  const { code, redirectUri } = await under.control.oauth.approve(consent);
  const app = { client_id: "app", client_secret: "app-secret", redirect_uri: redirectUri };
  return tokensOf(await askToken(under, { ...app, grant_type: "authorization_code", code })).access_token;
}

export const GENERAL_REFUSALS: readonly GeneralRefusal[] = [
  {
    status: 400,
    because: "a parameter is one that nobody knows",
    says: () => ["query: Unrecognized key(s): 'nobody_knows'"],
    meets: ({ id }) => !TOLERANT.has(id),
    requestsPerMinute: 0,
    ask: (under, { id }) => {
      const { path } = callOf(id);
      return askFor(under, id, { path: `${path}${path.includes("?") ? "&" : "?"}nobody_knows=1` });
    },
  },
  {
    status: 401,
    because: "the token is nobody's",
    says: () => ["Unauthorized"],
    meets: asksForToken,
    requestsPerMinute: 0,
    ask: (under, { id }) => askFor(under, id, { token: "made-up" }),
  },
  {
    status: 403,
    because: "the token lacks the right, which is named",
    says: ({ permissions, scopes }) => [
      "does not have the necessary privileges",
      "The token lacks: ",
      ...permissions.flat(),
      ...(permissions.length > 0 ? [] : scopes),
    ],
    meets: asksForToken,
    requestsPerMinute: 0,
    given: poorToken,
    ask: (under, { id }, token) => askFor(under, id, token === undefined ? {} : { token }),
  },
  {
    status: 404,
    because: "there is no such project",
    says: () => ["Project not found"],
    meets: hasProject,
    requestsPerMinute: 0,
    ask: (under, { id }) => askOfNothing(under, id),
  },
  {
    status: 404,
    because: "the caller does not see the project, which is told in the same words",
    says: () => ["Project not found"],
    meets: (operation) => hasProject(operation) && asksForToken(operation),
    requestsPerMinute: 0,
    ask: async (under, { id }) => {
      const foreign = await askFor(under, id, { token: "stranger" });
      expect([id, foreign.text]).toEqual([id, (await askOfNothing(under, id)).text]);
      return foreign;
    },
  },
  {
    status: 429,
    because: "the identity's window is used up",
    says: () => ["ThrottlerException: Too Many Requests"],
    meets: always,
    requestsPerMinute: 1,
    // by the same request just before, which a fault spared its effect: it spends as any other
    ask: async (under, { id }) => {
      await under.control.limits.reset();
      await under.control.faults.add(failing(id));
      const first = await askFor(under, id);
      expect([id, first.status, first.headers["x-ratelimit-remaining"]]).toEqual([id, 500, "0"]);
      return askFor(under, id);
    },
  },
  {
    status: 500,
    because: "a fault was ordered: by itself only network apply on a fresh project gives it (facts.md §5, K-02)",
    says: () => ["Injected fault"],
    meets: always,
    requestsPerMinute: 0,
    ask: async (under, { id }) => {
      await under.control.faults.add(failing(id));
      return askFor(under, id);
    },
  },
];
