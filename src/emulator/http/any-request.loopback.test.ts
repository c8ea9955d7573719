import fc from "fast-check";
import { FormData } from "undici";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { emulatorUnderTest, type Sent, TOKEN, undeclared } from "../../../test/support/emulator/api.ts";

/** Stored before anything is asked; no answer may hold it. */
const CANARY = "canary-7f3a";
const REF = "abcdefghijklmnopqrst";
const BRANCH = "5b0c1d7e-1111-4222-8333-444455556666";
const REQUESTS = Number(process.env["EMULATOR_REQUESTS"] ?? 1500);

const transferTo = (slug: string) => ({
  data: { type: "project_transfer_input", attributes: { target_organization_slug: slug } },
});

/** Bodies that go through, from which the generator starts. */
const BODIES: Readonly<Record<string, unknown>> = {
  "projects.create": { name: "a", db_pass: "long enough", organization_slug: "acme", region: "us-east-1" },
  "oauth.token": { grant_type: "refresh_token", client_id: "app", client_secret: CANARY, refresh_token: "none" },
  "oauth.revoke": { client_id: "app", client_secret: CANARY, refresh_token: "none" },
  "projects.update": { name: "renamed" },
  "projects.updatePassword": { password: "long enough" },
  "transfers.preview": transferTo("acme"),
  "transfers.create": transferTo("other"),
  "upgrades.start": { target_version: "17", release_channel: "ga" },
  "dataApi.update": { db_schema: "public, api", max_rows: 10, db_pool: null, db_extra_search_path: "" },
  "realtime.update": { max_concurrent_users: 10, suspend: false },
  "storage.update": { fileSizeLimit: 1, features: { icebergCatalog: { enabled: true, maxTables: 1 } } },
  "customHostname.initialize": { custom_hostname: "api.example.com" },
  "vanitySubdomain.checkAvailability": { vanity_subdomain: "shop" },
  "vanitySubdomain.activate": { vanity_subdomain: "Shop" },
  "organizations.create": { name: "org" },
  "functions.create": { slug: "made", name: "Made", body: "1", verify_jwt: true },
  "functions.update": { name: "Changed", body: "2" },
  "functions.bulkUpdate": [{ id: "1", slug: "hello", name: "Hello", status: "ACTIVE", version: 3 }],
  "apiKeys.create": { type: "secret", name: "jobs", description: "of the night", secret_jwt_template: { role: "x" } },
  "apiKeys.update": { name: "night_jobs", description: "changed" },
  "jit.invite": { email: "eve@example.test", roles: [{ role: "reader", expires_at: 1_900_000_000 }] },
  "jit.acceptInvite": { email: "eve@example.test", token: "none" },
  "jit.authorize": { role: "reader", rhost: "192.0.2.1" },
  "jit.update": { user_id: BRANCH, roles: [{ role: "reader", branches_only: true }] },
  "jitAccess.update": { state: "enabled" },
  "loginRole.create": { read_only: false },
  "authConfig.update": { site_url: "https://shop.test", smtp_pass: CANARY, jwt_exp: 60, saml_enabled: true },
  "ssoProviders.create": { type: "saml", metadata_url: "https://idp.test/metadata", domains: ["a.test"] },
  "ssoProviders.update": {
    domains: ["b.test"],
    name_id_format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  },
  "thirdPartyAuth.create": { oidc_issuer_url: "https://issuer.test" },
  "signingKeys.create": { algorithm: "HS256", private_jwk: { kty: "oct", kid: BRANCH, k: `${CANARY}-and-more` } },
  "signingKeys.update": { status: "revoked" },
  "encryptionKey.update": { root_key: "0f".repeat(32) },
  "postgresConfig.replace": { max_connections: 50, work_mem: "8MB", session_replication_role: "origin" },
  "pooler.update": { default_pool_size: 20, pool_mode: "session" },
  "sslEnforcement.update": { requestedConfig: { database: true } },
  "networkRestrictions.apply": { dbAllowedCidrs: ["203.0.113.9/24"], dbAllowedCidrsV6: ["2001:DB8::1/32"] },
  "networkRestrictions.update": { add: { dbAllowedCidrs: ["198.51.100.0/24"] }, remove: {} },
  "networkBans.delete": { ipv4_addresses: ["203.0.113.7"], requester_ip: true, identifier: REF },
  "disk.update": { attributes: { type: "gp3", iops: 4000, size_gb: 16 } },
  "addons.apply": { addon_variant: "ci_small", addon_type: "compute_instance" },
  "backups.restorePitr": { recovery_time_target_unix: 1_767_225_600 },
  "backups.updateSchedule": { schedule_for: "23:30:00" },
  "readReplicas.setup": { read_replica_region: "eu-west-1" },
  "readReplicas.remove": { database_identifier: "replica-1" },
  "secrets.create": [{ name: "A", value: "1" }],
  "secrets.delete": ["A"],
  "branches.create": { branch_name: "dev", persistent: false, secrets: { A: "1" } },
  "branches.merge": { migration_version: "20260101000000" },
  "branches.push": {},
  "branches.reset": {},
  "actions.updateStatus": { clone: "EXITED", deploy: "DEAD" },
  "branches.update": { branch_name: "other", persistent: true },
};

const odd = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "null",
    "%00",
    "__proto__",
    "constructor",
    "a".repeat(3000),
    "ä\u0000\uD800",
    "-1",
    "1e999",
  ),
);
const json = fc.jsonValue({ maxDepth: 3 });

/** A body as it should be, or with a field removed, replaced or added, or something else altogether. */
function bodyOf(operation: Operation): fc.Arbitrary<unknown> {
  const good = BODIES[operation.id];
  if (good === undefined) return fc.oneof(fc.constant(undefined), json);
  const first = fieldsOf(Array.isArray(good) ? good[0] : good);
  const changed = fc
    .record({ key: fc.constantFrom(...Object.keys(first), "__proto__", "extra"), value: json, drop: fc.boolean() })
    .map((change) => {
      const entries = Object.entries(first).filter(([key]) => key !== change.key);
      const made = Object.fromEntries(change.drop ? entries : [...entries, [change.key, change.value]]);
      return Array.isArray(good) ? [made] : made;
    });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(good) },
    { weight: 3, arbitrary: changed },
    { weight: 1, arbitrary: json },
  );
}

/** The same as a form, whose values are texts. */
function formOf(operation: Operation): fc.Arbitrary<URLSearchParams> {
  return bodyOf(operation).map((body) => new URLSearchParams(Object.entries(fieldsOf(body)).map(asTexts)));
}

const asTexts = ([name, value]: readonly [string, unknown]): [string, string] => [
  name,
  typeof value === "string" ? value.toWellFormed() : JSON.stringify(value),
];

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

const multipart = fc
  .record({
    metadata: fc.oneof(json, fc.constant({ entrypoint_path: "index.ts" })),
    names: fc.array(odd, { maxLength: 3 }),
    asFile: fc.boolean(),
  })
  .map(({ metadata, names, asFile }) => {
    const form = new FormData();
    const text = JSON.stringify(metadata);
    if (asFile) form.append("metadata", new Blob([text]), "m.json");
    else form.append("metadata", text);
    for (const name of ["index.ts", ...names]) form.append("file", new Blob(["1"]), name);
    return form;
  });

function sentTo(operation: Operation): fc.Arbitrary<Sent> {
  const body =
    operation.body?.encoding === "multipart"
      ? fc.oneof(multipart, json)
      : operation.method === "GET" || operation.method === "HEAD"
        ? fc.constant(undefined)
        : fc.oneof(
            { weight: 5, arbitrary: operation.body?.encoding === "form" ? formOf(operation) : bodyOf(operation) },
            { weight: 1, arbitrary: fc.string() },
            { weight: 1, arbitrary: multipart },
          );
  const contentType = fc.constantFrom(
    "application/json",
    "application/json; charset=x",
    "text/plain",
    "application/vnd.denoland.eszip",
    "multipart/form-data",
    "multipart/form-data; boundary=b",
  );
  const headers = fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: contentType.map((type) => ({ "content-type": type })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("multipart/form-data", "*/*;q=x", "text/html").map((accept) => ({ accept })),
    },
  );
  const token = fc.oneof(
    { weight: 8, arbitrary: fc.constant(TOKEN) },
    { weight: 1, arbitrary: fc.constantFrom("fine", "guest", "wrong", null) },
  );
  return fc.record({ body, headers, token }).map(({ body: content, headers: extra, token: text }) => ({
    ...(content === undefined ? {} : { body: content }),
    headers: content instanceof FormData || content instanceof URLSearchParams ? {} : extra,
    token: text,
  }));
}

/** Stands for the id in the last answer of the same section that had one. */
const LEARNED = "LEARNED";
const withId = z.union([z.object({ id: z.string() }), z.object({ data: z.object({ id: z.string() }) })]);

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  ref: [REF, "z".repeat(20)],
  slug: ["acme", "other"],
  function_slug: ["hello", "none"],
  name: ["main", "dev"],
  branch_id_or_ref: [REF, BRANCH],
  id: ["anon", BRANCH, LEARNED],
  provider_id: [LEARNED],
  tpa_id: [LEARNED],
  user_id: [BRANCH],
  invite_id: [BRANCH],
  addon_variant: ["ci_small", "pitr_7"],
};

function pathOf(operation: Operation): fc.Arbitrary<string> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const values = names.map((name) =>
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...(KNOWN[name] ?? [""])) }, { weight: 1, arbitrary: odd }),
  );
  const known = Object.keys(operation.query.shape).flatMap((key) =>
    key === "page" ? ["page[size]", "page[after]", "page[x]", key] : key === "filter" ? ["filter[role]", key] : [key],
  );
  const key = fc.oneof(fc.constantFrom("limit", ...known), odd);
  const value = fc.oneof(fc.constantFrom("true", "false", "1", "db,rest", "hello", "ACTIVE_HEALTHY"), odd);
  return fc
    .record({ values: fc.tuple(...values), query: fc.array(fc.tuple(key, value), { maxLength: 2 }) })
    .map((made) => {
      let index = 0;
      const path = operation.path.replaceAll(/\{\w+\}/g, () => encode(String(made.values[index++])));
      return made.query.length === 0 ? path : `${path}?${new URLSearchParams(made.query).toString()}`;
    });
}

/** A dot segment would be gone before it is sent: the client, too, reads it as another path. */
function encode(text: string): string {
  return encodeURIComponent(/^\.{1,2}$/.test(text) ? `${text}x` : text.toWellFormed());
}

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** By id, since a whole declaration fills the report of a failure. */
const anyRequest = fc
  .constantFrom(...operations)
  .chain((operation) => fc.record({ id: fc.constant(operation.id), path: pathOf(operation), sent: sentTo(operation) }));

describe("any request", () => {
  it(
    "gets an answer that the contract declares, never a 500, never a stored secret",
    { timeout: 120_000 },
    async () => {
      await using under = await emulatorUnderTest({
        limits: { requestsPerMinute: 0 },
        seed: {
          organizations: [
            { slug: "acme", members: { owner: "Owner", guest: "Read-only" }, quotas: { projects: 1_000_000 } },
            { slug: "other", members: { owner: "Owner", guest: "Read-only" } },
          ],
          tokens: [
            { token: "fine", user: "owner", permissions: ["projects_read"] },
            { token: "guest", user: "guest" },
          ],
          projects: [
            {
              name: "shop",
              ref: REF,
              databasePassword: CANARY,
              secrets: { STORED: CANARY },
              auth: { saml_enabled: true, external_github_secret: CANARY },
              functions: [{ slug: "hello", files: { "index.ts": "1" } }],
              addons: ["pitr_7", "cd_default"],
              postgresVersion: "17.4.1.048",
              buckets: [{ name: "avatars" }],
              readReplicas: [{ region: "us-west-1", identifier: "replica-1" }],
              branches: [{ name: "main" }, { name: "dev" }],
            },
          ],
          dns: [{ name: "example.com", obeys: true }],
          oauthApps: [{ clientId: "app", clientSecret: CANARY, redirectUris: ["https://app.example.test/cb"] }],
        },
      });
      const seen = new Map<number, number>();
      const learned = new Map<string, string>();
      await fc.assert(
        fc.asyncProperty(anyRequest, async ({ id, path, sent }) => {
          const operation = byId.get(id);
          if (operation === undefined) throw new Error(`no operation ${id}`);
          const [section = ""] = id.split(".");
          const received = await under.call(
            operation.method,
            path.replace(LEARNED, learned.get(section) ?? "none"),
            sent,
          );
          const told = withId.safeParse(received.json).data;
          if (told !== undefined) learned.set(section, "id" in told ? told.id : told.data.id);
          under.clock.advance(500);
          seen.set(received.status, (seen.get(received.status) ?? 0) + 1);
          expect(undeclared(operation, received)).toBeUndefined();
          expect(received.text).not.toContain(CANARY);
          expect(received.headers["x-ratelimit-limit"]).toBeDefined();
        }),
        { numRuns: REQUESTS },
      );
      const log = JSON.stringify(await under.control.log.read());
      expect(log).not.toContain(CANARY);
      // the generator reaches successes and every kind of refusal, or it would prove nothing
      expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404]));
    },
  );
});
