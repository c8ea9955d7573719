import { expect } from "vitest";
import type { Operation } from "../../../src/api/contract/operation.ts";
import type { EmulatorUnderTest, Received } from "../../support/emulator/api.ts";
import { REF } from "../../support/emulator/every-call.ts";
import { type Beside, appToken, askFor, callOf } from "../../support/emulator/refusal.ts";

/** Refusals that all operations of a kind have in common: asked as when they succeed, by whom or when they may not. */

export interface GeneralRefusal {
  readonly status: number;
  readonly because: string;
  /** the words; of several, parts of them */
  readonly says: (operation: Operation) => readonly string[];
  /** what the body has beside them; default: nothing */
  readonly beside?: (operation: Operation) => Beside;
  /** what the contract says of it, in its own words (contract.ts) */
  readonly of?: readonly string[];
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
const UNKNOWN = "query: Unrecognized key(s): 'nobody_knows'";
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
  return appToken(under, []);
}

/** What in a path has a form of its own (facts.md §2): how the path names it, and in which words another form is refused. */
const FORMS = [
  { of: "exactly 20 lower-case letters", name: "{ref}", says: "ref: a project ref is exactly 20 lower-case letters" },
  {
    of: "20 letters or uuid",
    name: "{branch_id_or_ref}",
    says: "branch_id_or_ref: a project ref is exactly 20 lower-case letters, or a branch's id is a uuid",
  },
  {
    of: "slug `^[\\w-]+$`",
    name: "{slug}",
    says: "slug: an organization slug has letters, digits, _ and - only",
  },
] as const;

/** The path of a call with something else where the operation's own path has a name. */
function otherwise({ id, path }: Operation, name: string, value: string): string {
  const at = path.split("/").indexOf(name);
  return callOf(id)
    .path.split("/")
    .map((part, index) => (index === at ? part.replace(/^[^?]+/, value) : part))
    .join("/");
}

const misnamed = FORMS.map(({ of, name, says }): GeneralRefusal => ({
  status: 400,
  of: [of],
  because: `what stands for ${name} has another form`,
  says: () => [`${says}, received '1.1'`],
  meets: ({ path }) => path.split("/").includes(name),
  requestsPerMinute: 0,
  ask: (under, operation) => askFor(under, operation.id, { path: otherwise(operation, name, "1.1") }),
}));

export const GENERAL_REFUSALS: readonly GeneralRefusal[] = [
  ...misnamed,
  {
    status: 400,
    because: "a parameter is one that nobody knows",
    says: () => [UNKNOWN],
    beside: ({ id }) => (id.startsWith("oauth.") ? { error: "invalid_request", error_description: UNKNOWN } : {}),
    meets: ({ id }) => !TOLERANT.has(id),
    requestsPerMinute: 0,
    ask: (under, { id }) => {
      const { path } = callOf(id);
      return askFor(under, id, { path: `${path}${path.includes("?") ? "&" : "?"}nobody_knows=1` });
    },
  },
  ...[null, "made-up"].map((token) => ({
    status: 401,
    of: ["no/invalid token"],
    because: token === null ? "there is no token" : "the token is nobody's",
    says: () => ["Unauthorized"],
    meets: asksForToken,
    requestsPerMinute: 0,
    ask: (under: EmulatorUnderTest, { id }: Operation) => askFor(under, id, { token }),
  })),
  {
    status: 403,
    of: ["no rights"],
    because: "the token lacks the right, which is named",
    says: ({ permissions, scopes }) => [
      "Your account does not have the necessary privileges to access this endpoint. ",
      ". For more details, refer to the documentation of the Management API.",
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
    of: ["GET project of unknown ref, **and of a branch's ref**"],
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
    of: ["rate limit", "429 Too Many Requests: returned for every call after the per-minute quota is exceeded"],
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
    of: ["function deploy"],
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

interface RouteRefusal extends Pick<GeneralRefusal, "status" | "because" | "of" | "meets"> {
  readonly path: (usual: string) => string;
}

/** Paths that are those of operations but for a little, which are none. */
export const ROUTE_REFUSALS: readonly RouteRefusal[] = [
  {
    status: 404,
    of: ["unknown route"],
    because: "the ref is empty",
    meets: ({ path }) => path.includes("{ref}/"),
    path: (usual) => usual.replace(`/${REF}/`, "//"),
  },
  {
    status: 404,
    of: ["Paths with a trailing slash are other routes (404)"],
    because: "a slash is at its end",
    meets: always,
    path: (usual) => usual.replace(/(?=\?|$)/, "/"),
  },
];
