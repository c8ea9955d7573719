import { describe, expect, it } from "vitest";
import { CredentialError } from "../../api/credentials/credentials.ts";
import { ApiError, type ApiErrorCode, apiErrorCodes } from "../../api/errors.ts";
import { classify, disposition } from "../../runtime/outcome.ts";
import { explain } from "./failures.ts";
import { followedBy } from "./followed-by.ts";

/** How a run ends whose call failed, and when it comes again by itself. */
function end(code: ApiErrorCode): string {
  const failure = code === "BUDGET" ? { code, retryAfterMs: 7000 } : { code };
  const error = new ApiError("projects.get", failure as ConstructorParameters<typeof ApiError>[1], {
    message: "words",
  });
  const { requeue, condition, metric } = disposition(classify(explain(error, "read it")));
  const again = requeue.kind === "after" ? `after ${requeue.afterMs / 1000} s` : requeue.kind;
  return `${metric} ${condition?.reason ?? "-"}, again: ${again}`;
}

const passing = "transient ServerUnavailable, again: backoff";
const refused = "terminal Rejected, again: after 600 s";

const ends: Readonly<Record<ApiErrorCode, string>> = {
  BUDGET: "rateLimited RateLimited, again: after 7 s",
  ABORTED: "aborted -, again: backoff",
  NOT_STARTED: "aborted -, again: backoff",
  BAD_REQUEST: refused,
  UNPROCESSABLE: refused,
  CONFLICT: refused,
  REFUSED: refused,
  INVALID_REQUEST: refused,
  PLAN_REQUIRED: "terminal PlanLimit, again: after 600 s",
  FORBIDDEN: "terminal Forbidden, again: after 600 s",
  // Woken by nobody when the connection finds its token accepted still.
  UNAUTHORIZED: "transient ConnectionNotReady, again: backoff",
  CREDENTIAL: "transient ConnectionNotReady, again: backoff",
  CONNECT_FAILED: passing,
  CONNECTION_LOST: passing,
  DEADLINE: passing,
  SERVER_ERROR: passing,
  UNAVAILABLE: passing,
  UPSTREAM_TIMEOUT: passing,
  UNEXPECTED_RESPONSE: passing,
  RESPONSE_TOO_LARGE: passing,
  REDIRECTED: passing,
  GONE: passing,
};

describe("what a failed call means for the run that made it", () => {
  it.each(Object.entries(ends))("%s ends in %s", (code, is) => {
    expect(Object.keys(apiErrorCodes)).toContain(code);
    expect(end(code as ApiErrorCode)).toBe(is); // a key of the table above
  });

  it.each([
    { said: "This needs the plan Pro.", told: "This needs the plan Pro; ask somebody" },
    { said: "This needs the plan Pro", told: "This needs the plan Pro; ask somebody" },
    { said: "wait ...", told: "wait ...; ask somebody" },
  ])("is told without the full stop of the platform's words where more follows: $said", ({ said, told }) => {
    expect(followedBy(said, "ask somebody")).toBe(told);
  });

  it.each([
    {
      fault: "refused",
      says: "ConnectionNotReady could not read it: no token; the connection's conditions say what to do",
    },
    {
      fault: "unusable",
      says: "ConnectionNotReady could not read it: no token; the connection's conditions say what to do",
    },
    { fault: "unavailable", says: "ServerUnavailable could not read it: no token" },
    { fault: "unstored", says: "ServerUnavailable could not read it: no token" },
  ] as const)(
    "says where a credential stands that gives no token, which the client cannot know: $fault",
    ({ fault, says }) => {
      const cause = new CredentialError("no token", { fault });
      const error = new ApiError("projects.get", { code: "CREDENTIAL" }, { message: "no token", cause });
      const { condition } = disposition(classify(explain(error, "read it")));
      expect(`${condition?.reason} ${condition?.message}`).toBe(says);
      expect(apiErrorCodes.CREDENTIAL.advice).not.toMatch(/Secret|Connection/);
    },
  );
});
