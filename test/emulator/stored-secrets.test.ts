import { describe, expect, it } from "vitest";
import { operations } from "../../src/api/contract/contract.ts";
import type { Operation } from "../../src/api/contract/operation.ts";
import { secretValues } from "../../src/api/contract/secret-fields.ts";
import { LOG_DRAIN_CONFIGS } from "../../src/api/contract/log-drains.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed, REF } from "../support/emulator/every-call.ts";
import { play } from "../support/emulator/play.ts";
import { privateJwk } from "../support/emulator/signing-keys.ts";
import { secretPaths, valueAt, withValue } from "../support/emulator/secret-paths.ts";

/** Every field that carries a secret is filled with one that is found nowhere else; then everything that can be read is read. */

interface Write {
  readonly id: string;
  readonly path: string;
  readonly body: unknown;
}

const PROJECT = `/v1/projects/${REF}`;
const DRAINS = `/v2/projects/${REF}/analytics/log-drains`;
const ROOT_KEY = "0123456789abcdef".repeat(4);

const operationOf = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
};
const bodyOf = ({ body }: Operation) => (body?.encoding === "multipart" ? body.metadata : body?.schema);
const canary = (name: string): string => `canary-of-${name.replaceAll(/\W+/g, "-")}`;

/** Values that the forms of log drains want beside the secret ones. */
const PLAIN = {
  project_id: "p",
  dataset_id: "d",
  region: "EU",
  domain: "axiom.test",
  dataset_name: "d",
  s3_bucket: "b",
  storage_region: "r",
  access_key_id: "id",
  host: "syslog.test",
  port: 6514,
  endpoint: "https://otlp.test",
  url: "https://hook.test",
  username: "u",
} as const;

/** A log drain of each form, with a secret in every place that has one. */
function drains(): readonly unknown[] {
  return Object.entries(LOG_DRAIN_CONFIGS).map(([backend_type, form]) => {
    const plain = Object.fromEntries(
      Object.entries(PLAIN).filter(([key]) => "shape" in form && Object.hasOwn(form.shape, key)),
    );
    const config = secretPaths(form).reduce<unknown>(
      (body, path) => withValue(body, path, canary(`${backend_type} ${path.join(" ")}`)),
      plain,
    );
    return { data: { type: "log_drain", attributes: { name: backend_type, backend_type, config } } };
  });
}

async function signingKeys(): Promise<readonly unknown[]> {
  const made = (["RS256", "ES256", "EdDSA"] as const).map(async (algorithm) => ({
    algorithm,
    private_jwk: await privateJwk(algorithm),
  }));
  return [...(await Promise.all(made)), { algorithm: "HS256", private_jwk: { kty: "oct", k: canary("signing key") } }];
}

async function writes(): Promise<readonly Write[]> {
  const many = (id: string, path: string, bodies: readonly unknown[]): readonly Write[] =>
    bodies.map((body) => ({ id, path, body }));
  const authFields = secretPaths(bodyOf(operationOf("authConfig.update")) ?? fail()).map((path) =>
    withValue({}, path, canary(path.join(" "))),
  );
  const app = { client_id: "app", client_secret: canary("client secret"), refresh_token: canary("refresh token") };
  return [
    ...many("projects.create", "/v1/projects", [
      { name: "other", db_pass: canary("db pass"), organization_slug: "acme" },
    ]),
    ...many("projects.updatePassword", `${PROJECT}/database/password`, [{ password: canary("password") }]),
    ...many("secrets.create", `${PROJECT}/secrets`, [[{ name: "A", value: canary("secret") }]]),
    ...many("branches.create", `${PROJECT}/branches`, [
      { branch_name: "dev", secrets: { ANY_KEY: canary("branch secret") } },
    ]),
    ...many("authConfig.update", `${PROJECT}/config/auth`, authFields),
    ...many("signingKeys.create", `${PROJECT}/config/auth/signing-keys`, await signingKeys()),
    ...many("logDrains.create", DRAINS, drains()),
    ...many("logDrains.update", `${DRAINS}/LAST`, drains()),
    ...many("encryptionKey.update", `${PROJECT}/pgsodium`, [{ root_key: ROOT_KEY }]),
    ...many("jit.acceptInvite", `${PROJECT}/database/jit/invite/accept`, [
      { email: "eve@example.test", token: canary("invitation") },
    ]),
    ...many("oauth.token", "/v1/oauth/token", [
      new URLSearchParams({ ...app, grant_type: "refresh_token" }),
      new URLSearchParams({
        ...app,
        grant_type: "authorization_code",
        code: canary("code"),
        code_verifier: canary("v".repeat(43)),
      }),
      new URLSearchParams({
        ...app,
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: canary("jwt"),
      }),
    ]),
    ...many("oauth.revoke", "/v1/oauth/revoke", [app]),
  ];
}

function fail(): never {
  throw new Error("no such body");
}

const asFields = (body: unknown): unknown => (body instanceof URLSearchParams ? Object.fromEntries(body) : body);

/** Everything that the emulator says after the writes, each piece with whence it comes. */
async function everythingSaid(under: EmulatorUnderTest, sent: readonly Write[]): Promise<readonly [string, string][]> {
  const said: [string, string][] = [];
  let last = "";
  for (const { id, path, body } of sent) {
    const { text, status } = await under.call(operationOf(id).method, path.replace("LAST", last), { body });
    said.push([id, text]);
    under.clock.advance(60_000);
    // what proves itself by a secret is refused; everything else must have been taken, or it was not stored at all
    const proves = id.startsWith("oauth.") || id === "jit.acceptInvite";
    expect([id, status, proves || status < 300 ? "" : text]).toEqual([id, status, ""]);
    last = /"id":"([^"]+)"/.exec(text)?.[1] ?? last;
  }
  const reads = EVERY_CALL.filter(
    ({ id }) => operationOf(id).retry === "read" || /retrieve/.test(operationOf(id).path),
  );
  await play(under, reads, ({ operation, received }) => void said.push([operation.id, received.text]));
  said.push(["control: state", JSON.stringify(await under.control.state.read())]);
  said.push(["control: log", JSON.stringify(await under.control.log.read())]);
  return said;
}

describe("secrets that were given to the emulator", () => {
  it("stand in every field that may hold one", async () => {
    const sent = await writes();
    for (const operation of operations) {
      const schema = bodyOf(operation);
      const places = schema === undefined ? [] : secretPaths(schema);
      const bodies = sent.filter(({ id }) => id === operation.id).map(({ body }) => asFields(body));
      const empty = places.filter((place) => !bodies.some((body) => typeof valueAt(body, place) === "string"));
      expect([operation.id, empty]).toEqual([operation.id, []]);
    }
  });

  it("are said by nothing afterwards, but for the one that the API gives back", { timeout: 120_000 }, async () => {
    await using under = await emulatorUnderTest({ seed: everyCallSeed, limits: { requestsPerMinute: 0 } });
    const sent = await writes();
    const secrets = sent.flatMap(({ id, body }) => secretValues(bodyOf(operationOf(id)) ?? fail(), asFields(body)));
    const leaks = (await everythingSaid(under, sent)).flatMap(([where, text]) =>
      [...new Set(secrets)].filter((secret) => text.includes(secret)).map((secret) => [where, secret]),
    );
    expect(leaks).toEqual([
      ["encryptionKey.update", ROOT_KEY],
      ["encryptionKey.get", ROOT_KEY],
    ]);
  });
});
