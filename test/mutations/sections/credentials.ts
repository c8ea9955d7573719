import type { Section } from "../mutant.ts";

const REFRESH = "src/api/credentials/oauth-refresh.ts";
const REFRESH_TEST = "src/api/credentials/oauth-refresh.loopback.test.ts";
const CLIENTS = "src/controllers/connection/credential.ts";
const CLIENTS_TEST = "src/controllers/connection/credential.test.ts";
const ROTATED_TEST = "src/controllers/connection/rotated-while-down.loopback.test.ts";
const OUTCOME = "src/runtime/outcome.ts";
const KEPT = "src/controllers/connection/kept-token.ts";
const KEPT_TEST = "src/controllers/connection/kept-token.loopback.test.ts";

const ALONE = {
  project: "loopback",
  files: ["src/controllers/shared/pipeline.loopback.test.ts"],
  only: "goes by its connection alone",
} as const;

/** The credentials of connections: tokens, OAuth apps, workload identity; rotated and refreshed without a restart, lost in no crash. */
export const credentials: Section = {
  sign: "§C",
  name: "credentials",
  mutants: [
    {
      name: "rotation-needs-a-restart",
      promise: "a rotated token is used without a restart",
      file: CLIENTS,
      find: "const text = JSON.stringify([baseUrl, credential.kind, ...partsOf(credential)]);",
      replace: "const text = JSON.stringify([baseUrl, credential.kind]);",
      killer: { project: "unit", files: [CLIENTS_TEST] },
    },
    {
      name: "former-client-closed-before-the-new-one-opened",
      promise: "a session never has a closed client: the former one goes on until the new one was let in",
      file: CLIENTS,
      find: "    if (known !== this.#inUse.get(id)) void known.client.close();\n",
      replace: "    void known.client.close();\n",
      killer: { project: "loopback", files: [ROTATED_TEST], only: "works on by the former one" },
    },
    {
      name: "former-client-never-closed",
      promise: "and is closed then",
      file: CLIENTS,
      find: "    this.#inUse.set(id, newest);\n    void former?.client.close();\n",
      replace: "    this.#inUse.set(id, newest);\n",
      killer: { project: "unit", files: [CLIENTS_TEST] },
    },
    {
      name: "former-client-refused-and-used-on",
      promise:
        "a former one that is refused ends its session: sent on, each refusal would wake its connection past the backoff",
      file: CLIENTS,
      find: 'else if (news === "refused") listeners.onFormerRefused();',
      replace: "else listeners.onNews();",
      killer: { project: "loopback", files: [ROTATED_TEST], only: "is sent no more" },
    },
    {
      name: "attempts-of-a-connection-wake-it",
      promise: "a connection that tries another credential is not woken by what comes of it, though a session goes on",
      file: CLIENTS,
      find: "      if (this.#inUse.get(view.id)?.superseded !== superseded) return;\n",
      replace: "",
      killer: { project: "unit", files: [CLIENTS_TEST], only: "is heard while" },
    },
    {
      name: "refresh-token-sent-by-the-former-client",
      promise: "once another client was made, the former one sends no refresh token: two uses would end both",
      file: CLIENTS,
      find: "superseded.aborted ? Promise.reject(superseded.reason) : tokens.begin(token, signal)",
      replace: "tokens.begin(token, signal)",
      killer: { project: "unit", files: [CLIENTS_TEST], only: "no refresh token any more" },
    },
    {
      name: "session-of-an-edited-url-goes-on",
      promise:
        "what was opened at another base URL is used no more once that is edited, whether the new one answers or not",
      file: "src/controllers/connection/open.ts",
      find: "  if (isElsewhereNow(environment, view)) closeSession(environment, clients, view.id);\n",
      replace: "",
      killer: { project: "loopback", files: [ROTATED_TEST], only: "a base URL that was edited" },
    },
    {
      name: "call-of-a-closed-client-unheard",
      promise:
        "what a closed client does not send, while the run goes on, is a failure that is told and that a bound counts",
      file: OUTCOME,
      find: 'isOfClosedClient(error) ? CLIENT_CLOSED : { kind: "aborted" }',
      replace: '{ kind: "aborted" }',
      killer: { project: "unit", files: ["src/runtime/outcome.test.ts"] },
    },
    {
      name: "closed-client-taken-for-the-process-s-end",
      promise: "a call of a closed client tells itself from one that the process's end or its lost lease kept back",
      file: "src/api/client-calls.ts",
      find: "throw notStarted(operation.id, new ClientClosedError());",
      replace: "throw notStarted(operation.id, undefined);",
      killer: { project: "loopback", files: ["src/api/call.loopback.test.ts"], only: "closing ends" },
    },
    {
      name: "connection-that-goes-awaited-for-ever",
      promise: "what waits for a connection that nobody will try says so",
      file: "src/controllers/shared/connection-lookup.ts",
      find: "return !isLeaving && connectionObject",
      replace: "return connectionObject",
      killer: { project: "unit", files: ["src/controllers/shared/connection-lookup.test.ts"] },
    },
    {
      name: "connection-that-cannot-be-marked-awaited-for-ever",
      promise: "what waits for a connection says so once that was tried in vain, whatever it failed at",
      file: "src/controllers/connection/reconcile.ts",
      find: "  try {\n    if (inUse) await run.protect();\n",
      replace: "  if (inUse) await run.protect();\n  try {\n",
      killer: {
        project: "loopback",
        files: ["src/controllers/connection/guard.loopback.test.ts"],
        only: "counts as tried",
      },
    },
    {
      name: "client-of-each-look",
      promise: "another version of the Secret with the same token makes no new client",
      file: CLIENTS,
      find: "if (known?.madeFrom === madeFrom) return known;",
      replace: "if (known?.madeFrom === view.id) return known;",
      killer: { project: "unit", files: [CLIENTS_TEST] },
    },
    {
      name: "rejected-token-kept",
      promise: "a token that the platform rejects is read anew, and the call made again",
      file: "src/api/credentials/personal-token.ts",
      find: "    if (this.#token === token) this.#token = undefined;\n",
      replace: "",
      killer: { project: "unit", files: ["src/api/credentials/personal-token.test.ts"] },
    },
    {
      name: "rejected-call-given-up",
      promise: "after a 401 a fresh token is tried once",
      file: "src/api/call.ts",
      find: "if (!this.#tokenReplaced && (await this.#token().catch(() => token)) !== token) {",
      replace: "if (this.#tokenReplaced && (await this.#token().catch(() => token)) !== token) {",
      killer: { project: "loopback", files: ["src/api/pacing.loopback.test.ts"] },
    },
    {
      name: "expiry-not-reckoned-with",
      promise: "an access token is replaced before its end",
      file: "src/api/credentials/token-cache.ts",
      find: "const usableMs = lifetimeMs - Math.min(this.#skewMs, lifetimeMs / 2);",
      replace: "const usableMs = lifetimeMs;",
      killer: { project: "unit", files: ["src/api/credentials/token-cache.test.ts"] },
    },
    {
      name: "each-call-refreshes",
      promise: "one exchange at a time, shared by all calls",
      file: "src/api/credentials/token-cache.ts",
      find: "this.#flight ??= this.#renew();",
      replace: "this.#flight = this.#renew();",
      killer: { project: "unit", files: ["src/api/credentials/token-cache.test.ts"] },
    },
    {
      name: "rotated-refresh-token-not-stored",
      promise: "a refresh token that the platform replaced is stored",
      file: REFRESH,
      find: "      await this.#store();\n    }\n    if (lease === undefined)",
      replace: "    }\n    if (lease === undefined)",
      killer: { project: "loopback", files: [REFRESH_TEST] },
    },
    {
      name: "stored-after-its-use",
      promise: "stored before anything is done with what came with it",
      file: REFRESH,
      find: "      await this.#store();\n    }\n    if (lease === undefined)",
      replace: "      void this.#store().catch(() => undefined);\n    }\n    if (lease === undefined)",
      killer: { project: "loopback", files: [REFRESH_TEST] },
    },
    {
      name: "unstored-token-forgotten",
      promise: "one that could not be stored is kept in memory and offered again",
      file: REFRESH,
      find: "      await this.#store();\n      if (left !== undefined) return left;",
      replace: "      this.#unstored = undefined;\n      if (left !== undefined) return left;",
      killer: { project: "loopback", files: [REFRESH_TEST] },
    },
    {
      name: "unstored-token-lost-at-the-end",
      promise: "tried again when nobody asks for it any more: a process that stops stores it first",
      file: REFRESH,
      find: "for (let waitMs = STORE_AGAIN_MS; this.#unstored !== undefined && !signal.aborted;) {",
      replace: "for (let waitMs = STORE_AGAIN_MS; this.#unstored === undefined && signal.aborted;) {",
      killer: { project: "loopback", files: ["src/api/credentials/oauth-record.loopback.test.ts"] },
    },
    {
      name: "use-not-recorded",
      promise: "a use is recorded before the token is sent, for a crash in between",
      file: REFRESH,
      find: "return (await this.#options.begin?.(refreshToken, limit.signal)) ?? false;",
      replace: "return false;",
      killer: { project: "loopback", files: ["src/api/credentials/oauth-record.loopback.test.ts"] },
    },
    {
      name: "successor-of-another-process-not-read",
      promise: "a refused refresh token is read again: another process may have replaced it",
      file: REFRESH,
      find: "if (stored === undefined || stored === refreshToken) throw await this.#refused(error);",
      replace: "if (stored !== refreshToken || stored === refreshToken) throw await this.#refused(error);",
      killer: { project: "loopback", files: [REFRESH_TEST] },
    },
    {
      name: "spent-token-of-gitops-used",
      promise: "a refresh token of the user's that was used is never used again, whoever puts it back",
      file: KEPT,
      find: "return kept.seeds.includes(this.#seed) ? kept.token : this.#options.seed;",
      replace: "return kept.seeds.at(-1) === this.#seed ? kept.token : this.#options.seed;",
      killer: { project: "loopback", files: [KEPT_TEST] },
    },
    {
      name: "seeds-forgotten-early",
      promise: "64 of the user's refresh tokens are remembered: a spent one that comes back is told from a new one",
      file: KEPT,
      find: "const MOST_SEEDS = 64;",
      replace: "const MOST_SEEDS = 2;",
      killer: { project: "loopback", files: [KEPT_TEST], only: "remembers 64" },
    },
    {
      name: "kept-secret-of-somebody-used",
      promise: "the Secret of refresh tokens is the connection's own: SecretNotOwned",
      file: KEPT,
      find: 'if (ours && secret["type"] === KEPT_TYPE) return secret;',
      replace: 'if (secret["type"] === KEPT_TYPE) return secret;',
      killer: { project: "loopback", files: [KEPT_TEST] },
    },
    {
      name: "deleted-kept-secret-stays-away",
      promise: "the operator's own Secret is put back when somebody deletes it",
      file: "src/controllers/connection/secrets.ts",
      find: "      if (secrets.kept === undefined) await own.restore(run.signal);\n      else own",
      replace: "      if (secrets.kept !== undefined) own",
      killer: { project: "loopback", files: ["src/controllers/connection/oauth.loopback.test.ts"] },
    },
    {
      name: "refresh-token-used-by-two",
      promise: "no second use of a refresh token whose exchange is under way",
      file: CLIENTS,
      find: "      if (leaving !== undefined) await orAborted(leaving.ended, signal);\n",
      replace: "",
      killer: { project: "unit", files: [CLIENTS_TEST] },
    },
    {
      name: "assertion-read-once",
      promise: "workload identity: a renewed ServiceAccount token is read from its file",
      file: "src/api/credentials/jwt-bearer.ts",
      find: '  return (signal) => readFile(path, { encoding: "utf8", signal });',
      replace:
        '  let read: Promise<string> | undefined;\n  return (signal) => (read ??= readFile(path, { encoding: "utf8", signal }));',
      killer: { project: "loopback", files: ["src/api/credentials/jwt-bearer.loopback.test.ts"] },
    },
    {
      name: "operator-s-identity-for-everybody",
      promise: "a tenant's Connection may not act with the operator's own identity",
      file: "src/controllers/connection/secrets.ts",
      find: "if (namespace === undefined || workloadIdentity.namespaces.includes(namespace)) return;",
      replace: "if (workloadIdentity.namespaces !== undefined) return;",
      killer: { project: "loopback", files: ["src/controllers/connection/connection.loopback.test.ts"] },
    },
    {
      name: "missing-scopes-not-noticed",
      promise: "the scopes that an app lacks are told by its Connection",
      file: "src/cli/connector.ts",
      find: 'if (scopes?.answered(operation, allowed) === true) onNews("scopes");',
      replace: "void scopes?.answered(operation, allowed);",
      killer: { project: "loopback", files: ["src/cli/connector.loopback.test.ts"] },
    },
    {
      name: "other-server-untold",
      promise:
        "where something else answers than the Management API, the connection says what of its base URL to check",
      file: "src/controllers/connection/open.ts",
      find: "  return withHint(outcome, hint);",
      replace: "  return withHint(outcome, undefined);",
      killer: { project: "loopback", files: ["src/controllers/connection/wrong-server.loopback.test.ts"] },
    },
    {
      name: "token-in-a-message",
      promise: "a token stands in no message",
      file: "src/api/call.ts",
      find: "const secrets = [...this.#plan.request.secrets, ...(token === undefined ? [] : [token])];",
      replace: "const secrets = [...this.#plan.request.secrets];",
      killer: { project: "loopback", files: ["src/api/client.loopback.test.ts"], only: "what messages hold" },
    },
    {
      name: "deletion-by-an-annotation-s-connection",
      promise: "URL and credential are read from the connection alone, never from an annotation of a dependent",
      file: "src/controllers/shared/deletion.ts",
      find: "const id = rememberedConnection(run, target);",
      replace: 'const id = run.raw.metadata.annotations?.["baas.dev/connection"] ?? rememberedConnection(run, target);',
      killer: ALONE,
    },
    {
      name: "run-by-an-annotation-s-connection",
      promise: "URL and credential are read from the connection alone, never from an annotation of a dependent",
      file: "src/controllers/project/reconcile.ts",
      find: "const session = sessionFor(environment, { namespace: run.key.namespace, connectionRef: spec.connectionRef });",
      replace:
        'const typed = run.raw.metadata.annotations?.["baas.dev/connection"]?.split("/")[2];\n' +
        '  const connectionRef = typed === undefined ? spec.connectionRef : { kind: "Connection" as const, name: typed };\n' +
        "  const session = sessionFor(environment, { namespace: run.key.namespace, connectionRef });",
      killer: ALONE,
    },
  ],
};
