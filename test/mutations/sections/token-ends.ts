import type { Section } from "../mutant.ts";

const by = (only: string) =>
  ({ project: "loopback", files: ["src/controllers/connection/token-ends.loopback.test.ts"], only }) as const;

const ROTATED = {
  project: "loopback",
  files: ["src/controllers/connection/rotated-while-down.loopback.test.ts"],
  only: "answers 401 to a write",
} as const;

const SECRET_AGAIN = {
  project: "loopback",
  files: ["src/controllers/connection/secret-again.loopback.test.ts"],
} as const;

/** Credentials: a token that ends in the middle of anything. */
export const tokenEnds: Section = {
  sign: "§C",
  name: "token-ends",
  mutants: [
    {
      name: "waiting-told-as-unreachable",
      promise: "a connection that waits for request budget is not said to reach nothing",
      file: "src/controllers/connection/open.ts",
      find: ' && error.code !== "BUDGET"',
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/connection/works.loopback.test.ts"],
        only: "request budget",
      },
    },
    {
      name: "ended-token-of-the-own-identity-used-on",
      promise: "an access token that is not accepted any more is had anew at once: of the operator's own identity",
      file: "src/api/credentials/jwt-bearer.ts",
      find: "    this.#cache.drop(token);\n",
      replace: "    void token;\n",
      killer: by("a write of secrets"),
    },
    {
      name: "ended-token-of-an-app-used-on",
      promise: "an access token that is not accepted any more is had anew at once: of an app",
      file: "src/api/credentials/oauth-refresh.ts",
      find: "  onRejected(token: string): void {\n    this.#cache.drop(token);\n",
      replace: "  onRejected(token: string): void {\n    void token;\n",
      killer: by("a branch's deletion"),
    },
    {
      name: "ended-token-told-at-the-next-look",
      promise: "a user's token that is not accepted any more is told of within seconds, whoever finds it so",
      file: "src/cli/connector.ts",
      find: 'onRefused: () => onNews("refused"),',
      replace: "onRefused: () => undefined,",
      killer: by("a write of a section"),
    },
    {
      name: "refused-before-the-verdict",
      promise: "a write that is refused under 401 for what it says ends nothing: the token is let in elsewhere",
      file: "src/api/call.ts",
      find: '    const write = this.#plan.operation.retry !== "read";\n    if (write',
      replace:
        '    this.#tell(() => credentials.onRefused?.());\n    const write = this.#plan.operation.retry !== "read";\n    if (write',
      killer: ROTATED,
    },
    {
      name: "access-token-given-up-for-a-validation",
      promise: "a write that is refused under 401 for what it says costs no access token: a former app has no other",
      file: "src/api/call.ts",
      find: '    const write = this.#plan.operation.retry !== "read";\n    if (write',
      replace:
        '    credentials.onRejected(token);\n    const write = this.#plan.operation.retry !== "read";\n    if (write',
      killer: ROTATED,
    },
    {
      name: "secret-asked-for-twice",
      promise: "a Secret that was made again is not asked for once more: what it is not let in for is told",
      file: "src/controllers/shared/connection-lookup.ts",
      find: "    if (!complaint.terminating && complaint.reason !== undefined) throw notReady(session, complaint);\n",
      replace: "",
      killer: { ...SECRET_AGAIN, only: "is not asked for once more" },
    },
    {
      name: "not-ready-for-being-available",
      promise: "what waits for a connection tells what is wrong with that, not that it was Available before",
      file: "src/controllers/shared/connection-lookup.ts",
      find: 'const told = ready?.status === "True" ? underWay : ready;',
      replace: "const told = ready;",
      killer: { project: "unit", files: ["src/controllers/shared/connection-lookup.test.ts"] },
    },
    {
      name: "complaint-unheard",
      promise: "what waits for a connection tells what is wrong with that now, within seconds",
      file: "src/controllers/connections-wired.ts",
      find: " || isTellingWhy(before, now, id)",
      replace: "",
      killer: { ...SECRET_AGAIN, only: "is not called Available" },
    },
    {
      name: "request-failed-as-the-token-ended",
      promise: "what an annotation asks for is carried out, once, when a token is there again",
      file: "src/controllers/requests/send.ts",
      find: 'const LATER: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>(["UNAUTHORIZED"]);',
      replace: "const LATER: ReadonlySet<ApiErrorCode> = new Set<ApiErrorCode>([]);",
      killer: by("a restart that an annotation asks for"),
    },
  ],
};
