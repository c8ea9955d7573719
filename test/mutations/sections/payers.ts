import type { Section } from "../mutant.ts";

const PACING = { project: "loopback", files: ["src/api/pacing.loopback.test.ts"] } as const;

/** Whose budget a request spends: the user's, the app's or the address's. */
export const payers: Section = {
  sign: "§2",
  name: "payers",
  mutants: [
    {
      name: "lost-answer-gives-its-slot-back",
      promise:
        "a slot frees 60 s after its response (or failure): the server counted it, whether its answer arrived or not",
      file: "src/api/call.ts",
      find: "else permit.end({ sentAtMs, receivedAtMs: clock.monotonic(), throttled: false }, {});",
      replace: "else permit.cancel();",
      killer: { ...PACING, only: "whose answer is lost" },
    },
    {
      name: "budget-of-each-access-token",
      promise: "identity = user id or OAuth client id, not the token's text",
      file: "src/api/identity.ts",
      find: "if (this.#fixed !== undefined) return this.#clientName(this.#fixed);\n    const { identity,",
      replace: "if (this.#fixed !== undefined) return this.provisional(token);\n    const { identity,",
      killer: { ...PACING, only: "access tokens of an OAuth client" },
    },
    {
      name: "past-times-believed",
      promise: "missing, absurd or past values are ignored",
      file: "src/api/pacing/rate-headers.ts",
      find: "ms !== undefined && ms >= 0 && ms",
      replace: "ms !== undefined && ms",
      killer: { project: "unit", files: ["src/api/pacing/rate-headers.test.ts"] },
    },
    {
      name: "refused-request-waits-past-its-deadline",
      promise: "a refused request goes again within its deadline, and no later",
      file: "src/api/call.ts",
      find: "this.#throttled ? this.#remainingMs() :",
      replace: "this.#throttled ? 10 * this.#plan.deadlineMs :",
      killer: { ...PACING, only: "that outlasts the call" },
    },
    {
      name: "token-endpoint-uncounted",
      promise: "requests to the token endpoint are counted as all others are, and paced",
      file: "src/cli/connector.ts",
      find: "mayStart, pacer, meter, ...seen,",
      replace: "mayStart, ...seen,",
      killer: { project: "loopback", files: ["src/cli/connector.loopback.test.ts"], only: "among the requests" },
    },
    {
      name: "token-endpoint-not-paced",
      promise:
        "what is sent without a token counts against the address, and no more is sent than the platform lets through",
      file: "src/api/credentials/token-endpoint.ts",
      find: "if (pacing === undefined) return undefined;",
      replace: "if (pacing !== undefined || true) return undefined;",
      killer: {
        project: "loopback",
        files: ["src/api/credentials/token-endpoint.loopback.test.ts"],
        only: "counts against the address",
      },
    },
    {
      name: "token-endpoint-slot-for-ever",
      promise: "a request for a token gives its slot back, whatever went wrong with it",
      file: "src/api/credentials/token-endpoint.ts",
      find: "      permit?.end({ sentAtMs: beganMs, receivedAtMs: clock.monotonic(), throttled: false }, {});\n      throw error;",
      replace: "      throw error;",
      killer: {
        project: "loopback",
        files: ["src/api/credentials/token-endpoint.loopback.test.ts"],
        only: "no slot of the address for ever",
      },
    },
    {
      name: "budget-of-the-token",
      promise: "identity = user id, not the token's text",
      file: "src/api/identity.ts",
      find: "if (this.#fixed !== undefined) return this.#clientName(this.#fixed);\n    const { identity,",
      replace: "if (this.#fixed === undefined) return this.provisional(token);\n    const { identity,",
      killer: { project: "loopback", files: ["src/api/pacing.loopback.test.ts"] },
    },
    {
      name: "waiting-for-another-tenant",
      promise: "nobody's token waits for what a 429 closed for somebody else",
      file: "src/api/identity.ts",
      find: 'createHash("sha256").update(token)',
      replace: 'createHash("sha256").update("any")',
      killer: {
        project: "unit",
        files: ["src/api/many-tokens.simulation.test.ts"],
        only: "keeps nobody else's token",
      },
    },
  ],
};
