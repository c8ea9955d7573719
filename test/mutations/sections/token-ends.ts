import type { Section } from "../mutant.ts";

const by = (only: string) =>
  ({ project: "loopback", files: ["src/controllers/connection/token-ends.loopback.test.ts"], only }) as const;

/** Credentials: a token that ends in the middle of anything. */
export const tokenEnds: Section = {
  sign: "§C",
  name: "token-ends",
  mutants: [
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
      find: '      credentials.onRejected(token);\n      onNews("refused");\n',
      replace: "      credentials.onRejected(token);\n",
      killer: by("a write of a section"),
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
