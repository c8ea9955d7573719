import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";
import { CALLBACK, CLIENT, someTokens } from "../support/emulator/oauth.ts";

/**
 * Limits are never exceeded and never under-used: whatever comes whenever, exactly those requests are refused for which some window that
 * they pass is full. The windows are counted here once more, in the words of behaviour.md, Limits, and facts.md, head.
 */

const REFS = ["abcdefghijklmnopqrst", "bcdefghijklmnopqrstu"] as const;
const MINUTE_MS = 60_000;

interface Window {
  readonly name: string;
  readonly requests: number;
  readonly windowMs: number;
}

/**
 * What is asked and which windows it passes beside the standard one. Its path has a REF where it is about a project, a BRANCH where it is
 * about a branch of it, by its id, and an OWN where that branch is told by the ref of its own project.
 */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly windows: readonly Window[];
  /** what is counted apart: the project REF, the branch's OWN, an organization; empty: the identity alone (facts.md, head) */
  readonly scope: string;
}

/** "Endpoint exceptions" (behaviour.md, Limits): all ten, the two of `database/context` at one endpoint. */
const EXCEPTIONS: Readonly<Record<string, Asked>> = {
  allLogs: row("GET", "/analytics/endpoints/logs.all", [30, MINUTE_MS]),
  counts: row("GET", "/analytics/endpoints/usage.api-counts", [30, MINUTE_MS]),
  requestsCount: row("GET", "/analytics/endpoints/usage.api-requests-count", [30, MINUTE_MS]),
  context: row("GET", "/database/context", [1, 1000], [10, MINUTE_MS]),
  initialize: row("POST", "/custom-hostname/initialize", [10, MINUTE_MS]),
  reverify: row("POST", "/custom-hostname/reverify", [10, MINUTE_MS]),
  deleteHostname: row("DELETE", "/custom-hostname", [10, MINUTE_MS]),
  vanity: row("GET", "/vanity-subdomain", [10, MINUTE_MS]),
  migrations: row("POST", "/database/migrations", [120, 3 * MINUTE_MS]),
};

const ASKED: Readonly<Record<string, Asked>> = {
  ...EXCEPTIONS,
  project: row("GET", ""),
  secrets: row("GET", "/secrets"),
  // another method, and other last segments, than those of the table
  getHostname: row("GET", "/custom-hostname"),
  activate: row("POST", "/custom-hostname/activate"),
  profile: { method: "GET", path: "/v1/profile", windows: [], scope: "" },
  unknown: { method: "GET", path: "/v1/nowhere", windows: [], scope: "" },
  organization: { method: "GET", path: "/v1/organizations/acme", windows: [], scope: "acme" },
  // "for /v1/branches/{id} the parent project", "a branch's ref is a scope of its own"
  branch: { method: "GET", path: "/v1/branches/BRANCH", windows: [], scope: "REF" },
  branchByRef: { method: "GET", path: "/v1/branches/OWN", windows: [], scope: "REF" },
  projectOfBranch: { method: "GET", path: "/v1/projects/OWN", windows: [], scope: "OWN" },
  vanityOfBranch: {
    ...row("GET", "/vanity-subdomain", [10, MINUTE_MS]),
    path: "/v1/projects/OWN/vanity-subdomain",
    scope: "OWN",
  },
  // "the body's organization_slug for POST /v1/projects", also of one that is refused for what else it lacks
  newProject: newProject({ organization_slug: "acme" }, "acme"),
  newElsewhere: newProject({ organization_slug: "nowhere" }, "nowhere"),
  newWithout: newProject({ name: "shop" }, ""),
};

function newProject(body: unknown, scope: string): Asked {
  return { method: "POST", path: "/v1/projects", body, windows: [], scope };
}

function row(method: string, path: string, ...windows: readonly (readonly [number, number])[]): Asked {
  const named = windows.map(([requests, windowMs]) => ({ name: `${method} ${path} ${windowMs}`, requests, windowMs }));
  return { method, path: `/v1/projects/REF${path}`, windows: named, scope: "REF" };
}

/** Who asks, and whose budget that spends: the app's, else the user's, else the address's (behaviour.md, Authentication 6). */
const IDENTITY = { a: "owner", "a-too": "owner", b: "b", app: "app", "app-of-b": "app", nobody: "address" } as const;
type Who = keyof typeof IDENTITY;
type Tokens = Readonly<Record<Who, string | null>>;

interface Step {
  readonly waitMs: number;
  readonly asked: string;
  readonly ref: string;
  readonly who: Who;
  readonly times: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 3000 }) },
    { weight: 1, arbitrary: fc.constantFrom(999, 1000, 20_000, 59_999, 60_000, 180_000) },
  ),
  asked: fc.constantFrom(...Object.keys(ASKED)),
  ref: fc.constantFrom(...REFS),
  who: fc.constantFrom(...(Object.keys(IDENTITY) as Who[])), // its own keys
  times: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: 20 }) },
    { weight: 1, arbitrary: fc.constantFrom(31, 121) },
  ),
});

/** Fixed windows that begin at the first request of an identity and scope, and count arrivals, refused ones not. */
class Reference {
  readonly #standard: Window;
  readonly #open = new Map<string, { readonly endsMs: number; used: number }>();

  constructor(standard: Window) {
    this.#standard = standard;
  }

  /** What the next request gets at a time: which windows refuse it, and what is left of the tightest one. */
  next({ asked, ref, who }: Step, nowMs: number): { readonly full: readonly string[]; readonly remaining: number } {
    const { windows, scope: apart } = theAsked(asked);
    const scope = /REF|OWN/.test(apart) ? `${apart} ${ref}` : apart;
    const passed = [this.#standard, ...windows].map(({ name, requests, windowMs }) => {
      const key = `${IDENTITY[who]} ${scope} ${name}`;
      const known = this.#open.get(key);
      const current = known !== undefined && nowMs < known.endsMs ? known : { endsMs: nowMs + windowMs, used: 0 };
      return { key, name, requests, current };
    });
    const full = passed.filter(({ requests, current }) => current.used >= requests).map(({ name }) => name);
    if (full.length > 0) return { full, remaining: 0 };
    for (const { key, current } of passed) {
      current.used += 1;
      this.#open.set(key, current);
    }
    return { full, remaining: Math.min(...passed.map(({ requests, current }) => requests - current.used)) };
  }
}

function theAsked(name: string): Asked {
  const asked = ASKED[name];
  if (asked === undefined) throw new RangeError(`nothing called ${name} is asked`);
  return asked;
}

const ONCE = { waitMs: 0, ref: REFS[0], who: "a", times: 1 } as const;

/** Everything as often as any window takes, with no time between: what one endpoint spends is no other's. */
const ALL_AT_ONCE: readonly Step[] = Object.keys(ASKED).map((asked) => ({ ...ONCE, asked, times: 121 }));

/** Fills each window of an endpoint, and comes once more when it is full, a moment before it ends, and when it has ended. */
function filling(asked: string): Step[] {
  const one = { ...ONCE, asked };
  return theAsked(asked).windows.flatMap(({ requests, windowMs }, index, all): Step[] => {
    const gapMs = all[index - 1]?.windowMs ?? 0;
    const fill =
      gapMs === 0 ? [{ ...one, times: requests }] : Array.from({ length: requests }, () => ({ ...one, waitMs: gapMs }));
    const leftMs = windowMs - gapMs * requests;
    return [
      { ...one, asked: "unknown", waitMs: 4 * MINUTE_MS },
      ...fill,
      { ...one, waitMs: gapMs },
      { ...one, waitMs: leftMs - 1 },
      { ...one, waitMs: 1 },
    ];
  });
}

/** What stands in a path for something of a project. */
type Names = ReadonlyMap<string, Readonly<Record<string, string>>>;

async function namesIn({ control }: EmulatorUnderTest): Promise<Names> {
  const { branches } = await control.state.read();
  return new Map(
    REFS.map((ref) => {
      const found = branches.find(({ name }) => name === `dev-${ref}`);
      if (found === undefined) throw new Error(`no branch of ${ref}`);
      return [ref, { REF: ref, BRANCH: found.id, OWN: found.projectRef }];
    }),
  );
}

interface Stage {
  readonly under: EmulatorUnderTest;
  readonly tokens: Tokens;
  readonly names: Names;
}

async function stage(requestsPerMinute: number): Promise<Stage> {
  const under = await emulatorUnderTest({
    tokens: ["a", "b"],
    limits: { requestsPerMinute },
    seed: {
      organizations: [{ slug: "acme", members: { owner: "Owner", "user-2": "Developer" } }],
      tokens: [{ token: "a-too", user: "owner" }],
      // paused, so that no request runs SQL
      projects: REFS.map((ref) => ({
        name: ref,
        ref,
        status: "INACTIVE" as const,
        branches: [{ name: "main" }, { name: `dev-${ref}` }],
      })),
      oauthApps: [{ clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret, redirectUris: [CALLBACK] }],
    },
  });
  const app = (await someTokens(under)).access_token;
  const appOfB = (await someTokens(under, { user: "user-2" })).access_token;
  await under.control.limits.reset();
  const names = await namesIn(under);
  return { under, names, tokens: { a: "a", "a-too": "a-too", b: "b", app, "app-of-b": appOfB, nobody: null } };
}

/** Plays steps beside the reference. @returns names of the windows that were the only full one of some request */
async function play(steps: readonly Step[], requestsPerMinute: number): Promise<ReadonlySet<string>> {
  const { under, tokens, names } = await stage(requestsPerMinute);
  await using _ends = under;
  const reference = new Reference({ name: "standard", requests: requestsPerMinute, windowMs: MINUTE_MS });
  const alone = new Set<string>();
  for (const one of steps) {
    under.clock.advance(one.waitMs);
    for (let time = 0; time < one.times; time += 1) {
      const { method, path, body } = theAsked(one.asked);
      const filled = path.replace(/REF|BRANCH|OWN/, (name) => names.get(one.ref)?.[name] ?? name);
      const received = await under.call(method, filled, { token: tokens[one.who], body });
      const { full, remaining } = reference.next(one, under.clock.monotonic());
      const seen = { passes: received.status !== 429, remaining: received.headers["x-ratelimit-remaining"] };
      const expected = { passes: full.length === 0, remaining: String(remaining) };
      expect({ ...one, time, ...seen }).toEqual({ ...one, time, ...expected });
      const [only, ...others] = full;
      if (only !== undefined && others.length === 0) alone.add(only);
    }
  }
  return alone;
}

describe("limits", () => {
  it.each([
    { standard: 6, because: "the standard window is the tightest but for one" },
    { standard: 25, because: "some classes are tighter" },
    { standard: 10_000, because: "every class is tighter" },
  ])("are neither exceeded nor under-used where $because", { timeout: 120_000 }, async ({ standard }) => {
    const classes = Object.values(EXCEPTIONS).flatMap(({ windows }) => windows);
    expect(classes.length, "rows of the table").toBe(10);
    const refusing = await play([...ALL_AT_ONCE, ...Object.keys(EXCEPTIONS).flatMap(filling)], standard);
    const tighter = classes.filter(({ requests }) => requests < standard).map(({ name }) => name);
    const isReached = tighter.length < classes.length; // where every class is tighter the standard window never fills
    expect([...refusing].toSorted()).toEqual([...tighter, ...(isReached ? ["standard"] : [])].toSorted());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        await play(steps, standard);
      }),
      { numRuns: 30 },
    );
  });
});
