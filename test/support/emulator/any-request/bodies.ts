/** Stored before anything is asked, and sent as every secret that may be any text; no answer may hold it. */
export const CANARY = "canary-7f3a";
/** Sent where a secret should be, which wants a text almost everywhere. */
export const CANARY_NUMBER = 730_310_390_173;
export const REF = "abcdefghijklmnopqrst";
const BRANCH = "5b0c1d7e-1111-4222-8333-444455556666";
/** Stands for the id in the last answer of the same section that had one. */
export const LEARNED = "LEARNED";

const transferTo = (slug: string) => ({
  data: { type: "project_transfer_input", attributes: { target_organization_slug: slug } },
});

const drain = (named: object) => ({
  data: {
    type: "log_drain",
    attributes: { ...named, backend_type: "loki", config: { url: "https://loki.test", headers: { A: CANARY } } },
  },
});

/** Where a webhook is the place for logs. */
export const drainTo = (url: string, named: object): unknown => ({
  data: { type: "log_drain", attributes: { ...named, backend_type: "webhook", config: { url } } },
});

/** What nobody asked for, around what somebody did. */
export const WRAPPINGS: readonly ((value: unknown) => unknown)[] = [
  (value) => [value],
  (value) => ({ x: value }),
  (value) => ({ name: value }),
  (value) => [[value]],
  (value) => [{ x: value }],
  (value) => ({ x: [value] }),
];

/** Bodies that go through, from which the generator starts. */
export const BODIES: Readonly<Record<string, unknown>> = {
  "projects.create": { name: "a", db_pass: CANARY, organization_slug: "acme", region: "us-east-1" },
  "oauth.token": { grant_type: "refresh_token", client_id: "app", client_secret: CANARY, refresh_token: CANARY },
  "oauth.revoke": { client_id: "app", client_secret: CANARY, refresh_token: CANARY },
  "projects.update": { name: "renamed" },
  "projects.updatePassword": { password: CANARY },
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
  "jit.acceptInvite": { email: "eve@example.test", token: CANARY },
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
  "logDrains.create": drain({ name: "logs" }),
  "logDrains.update": drain({}),
  "database.query": { query: "select 1 as one", read_only: false },
  "database.queryReadOnly": { query: "select $1::int as one", parameters: [1] },
  "migrations.apply": { query: "create table if not exists public.t (a int)", name: "first" },
  "migrations.upsert": { query: "create table public.u (a int)", rollback: "drop table public.u" },
  "migrations.update": { name: "renamed" },
  "secrets.create": [{ name: "A", value: CANARY }],
  "secrets.delete": ["A"],
  "branches.create": { branch_name: "dev", persistent: false, secrets: { A: CANARY } },
  "branches.merge": { migration_version: "20260101000000" },
  "branches.push": {},
  "branches.reset": {},
  "actions.updateStatus": { clone: "EXITED", deploy: "DEAD" },
  "branches.update": { branch_name: "other", persistent: true },
};

/** Values of the parameters in paths that lead somewhere. */
export const KNOWN: Readonly<Record<string, readonly string[]>> = {
  ref: [REF, REF, REF, REF, REF, REF, "z".repeat(20)],
  slug: ["acme", "other"],
  function_slug: ["hello", "none"],
  name: ["main", "dev"],
  branch_id_or_ref: [REF, BRANCH, LEARNED],
  id: ["anon", BRANCH, LEARNED],
  provider_id: [LEARNED],
  tpa_id: [LEARNED],
  user_id: [BRANCH],
  invite_id: [BRANCH],
  addon_variant: ["ci_small", "pitr_7"],
  run_id: [LEARNED],
  version: ["20260101000000", LEARNED],
  // of queries
  gte: ["20260101000000", "99999999999999"],
  sql: ["select count(*) as n from logs", "select colour from edge_logs", "source:edge_logs -boom"],
  iso_timestamp_start: ["2026-01-01T00:00:00Z"],
  iso_timestamp_end: ["2026-01-01T00:10:00Z"],
  function_id: [LEARNED],
  organization_slug: ["acme"],
  project_ref: [REF],
  client_id: ["app"],
  redirect_uri: ["https://app.example.test/cb"],
  services: ["db,auth", "rest"],
};
