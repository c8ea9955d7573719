import { ManualClock } from "../../../src/base/manual-clock.ts";
import type { SeedInput } from "../../../src/emulator/state/seed.ts";
import { deployForm } from "./api.ts";

export const REF = "abcdefghijklmnopqrst";
const PROJECT = `/v1/projects/${REF}`;
const JIT = `/v1/projects/${REF}/database/jit`;
const ANALYTICS = `/v1/projects/${REF}/analytics/endpoints`;
const VANITY = `/v1/projects/${REF}/vanity-subdomain`;
const HOSTNAME = `/v1/projects/${REF}/custom-hostname`;
const DATABASE_CONFIG = `/v1/projects/${REF}/config/database`;
const SCHEDULE = `/v1/projects/${REF}/database/backups/schedule`;
const AUTH = `/v1/projects/${REF}/config/auth`;
const CALLBACK = "https://app.example.test/callback";
const AUTHORIZATION = `client_id=app&response_type=code&redirect_uri=${encodeURIComponent(CALLBACK)}`;
const hello = { slug: "hello", name: "Hello" };

const transferTo = (slug: string) => ({
  data: { type: "project_transfer_input", attributes: { target_organization_slug: slug } },
});

const drain = (named: object) => ({
  data: {
    type: "log_drain",
    attributes: { ...named, backend_type: "sentry", config: { dsn: "https://key@sentry.test/1" } },
  },
});

export interface EveryCall {
  readonly id: string;
  readonly path: string;
  readonly body?: unknown;
  /** how long it goes on afterwards; default: until every life has ended and every limit window is anew */
  readonly waitMs?: number;
}

/**
 * One call of each operation that succeeds, in an order in which each finds what it needs. What stands in capitals is filled in when its
 * turn comes (play.ts).
 */
export const EVERY_CALL: readonly EveryCall[] = [
  { id: "profile.get", path: "/v1/profile" },
  { id: "oauth.authorize", path: `/v1/oauth/authorize?${AUTHORIZATION}` },
  { id: "oauth.authorizeProjectClaim", path: `/v1/oauth/authorize/project-claim?project_ref=${REF}&${AUTHORIZATION}` },
  {
    id: "oauth.token",
    path: "/v1/oauth/token",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: "app",
      client_secret: "app-secret",
      code: "CODE",
      redirect_uri: CALLBACK,
    }),
  },
  {
    id: "oauth.revoke",
    path: "/v1/oauth/revoke",
    body: { client_id: "app", client_secret: "app-secret", refresh_token: "any" },
  },
  { id: "organizations.create", path: "/v1/organizations", body: { name: "Beta" } },
  { id: "organizations.list", path: "/v1/organizations" },
  { id: "organizations.get", path: "/v1/organizations/acme" },
  { id: "organizations.listProjects", path: "/v1/organizations/acme/projects?limit=1&sort=created_desc" },
  { id: "projects.create", path: "/v1/projects", body: { name: "new", db_pass: "pass", organization_slug: "acme" } },
  { id: "projects.list", path: "/v1/projects" },
  { id: "projects.get", path: `/v1/projects/${REF}` },
  { id: "projects.update", path: `/v1/projects/${REF}`, body: { name: "store" } },
  { id: "projects.health", path: `/v1/projects/${REF}/health?services=db,auth&timeout_ms=100` },
  { id: "projects.updatePassword", path: `/v1/projects/${REF}/database/password`, body: { password: "another" } },
  { id: "dataApi.update", path: `/v1/projects/${REF}/postgrest`, body: { max_rows: 10 } },
  { id: "dataApi.get", path: `/v1/projects/${REF}/postgrest` },
  { id: "realtime.update", path: `/v1/projects/${REF}/config/realtime`, body: { max_concurrent_users: 10 } },
  { id: "realtime.get", path: `/v1/projects/${REF}/config/realtime` },
  { id: "realtime.shutdown", path: `/v1/projects/${REF}/config/realtime/shutdown` },
  { id: "storage.update", path: `/v1/projects/${REF}/config/storage`, body: { fileSizeLimit: 1 } },
  { id: "storage.get", path: `/v1/projects/${REF}/config/storage` },
  { id: "storage.listBuckets", path: `/v1/projects/${REF}/storage/buckets` },
  { id: "vanitySubdomain.checkAvailability", path: `${VANITY}/check-availability`, body: { vanity_subdomain: "shop" } },
  { id: "vanitySubdomain.activate", path: `${VANITY}/activate`, body: { vanity_subdomain: "shop" } },
  { id: "vanitySubdomain.get", path: VANITY },
  { id: "vanitySubdomain.delete", path: VANITY },
  {
    id: "addons.apply",
    path: `/v1/projects/${REF}/billing/addons`,
    body: { addon_variant: "cd_default", addon_type: "custom_domain" },
  },
  { id: "customHostname.initialize", path: `${HOSTNAME}/initialize`, body: { custom_hostname: "api.example.com" } },
  { id: "customHostname.get", path: HOSTNAME },
  { id: "customHostname.reverify", path: `${HOSTNAME}/reverify` },
  { id: "customHostname.activate", path: `${HOSTNAME}/activate` },
  { id: "customHostname.delete", path: `${HOSTNAME}?remove_addon=true` },
  { id: "projects.listRestoreVersions", path: `/v1/projects/${REF}/restore` },
  { id: "projects.availableRegions", path: "/v1/projects/available-regions?organization_slug=acme&continent=EU" },
  { id: "organizations.entitlements", path: "/v1/organizations/acme/entitlements" },
  { id: "organizations.members", path: "/v1/organizations/acme/members" },
  { id: "organizations.listMembers", path: "/v2/organizations/acme/members?page[size]=1&filter[role]=Owner" },
  { id: "organizations.listRoles", path: "/v2/organizations/acme/roles?page[size]=2" },
  { id: "upgrades.eligibility", path: `/v1/projects/${REF}/upgrade/eligibility` },
  { id: "upgrades.start", path: `/v1/projects/${REF}/upgrade`, body: { target_version: "17" } },
  { id: "upgrades.status", path: `/v1/projects/${REF}/upgrade/status` },
  { id: "secrets.create", path: `/v1/projects/${REF}/secrets`, body: [{ name: "A", value: "1" }] },
  { id: "secrets.list", path: `/v1/projects/${REF}/secrets` },
  { id: "secrets.delete", path: `/v1/projects/${REF}/secrets`, body: ["A"] },
  { id: "logDrains.create", path: `/v2/projects/${REF}/analytics/log-drains`, body: drain({ name: "logs" }) },
  { id: "logDrains.list", path: `/v2/projects/${REF}/analytics/log-drains` },
  { id: "logDrains.update", path: `/v2/projects/${REF}/analytics/log-drains/ID`, body: drain({}) },
  { id: "logDrains.delete", path: `/v2/projects/${REF}/analytics/log-drains/ID` },
  { id: "apiKeys.create", path: `/v1/projects/${REF}/api-keys`, body: { type: "secret", name: "jobs" } },
  { id: "apiKeys.update", path: `/v1/projects/${REF}/api-keys/ID`, body: { description: "of the night" } },
  { id: "apiKeys.get", path: `/v1/projects/${REF}/api-keys/ID?reveal=true` },
  { id: "apiKeys.list", path: `/v1/projects/${REF}/api-keys` },
  { id: "apiKeys.delete", path: `/v1/projects/${REF}/api-keys/ID?was_compromised=true&reason=leak` },
  { id: "apiKeys.updateLegacy", path: `/v1/projects/${REF}/api-keys/legacy?enabled=false` },
  { id: "apiKeys.getLegacy", path: `/v1/projects/${REF}/api-keys/legacy` },
  { id: "encryptionKey.update", path: `/v1/projects/${REF}/pgsodium`, body: { root_key: "0f".repeat(32) } },
  { id: "encryptionKey.get", path: `/v1/projects/${REF}/pgsodium` },
  { id: "jitAccess.update", path: `/v1/projects/${REF}/jit-access`, body: { state: "enabled" } },
  { id: "jitAccess.get", path: `/v1/projects/${REF}/jit-access` },
  { id: "jit.update", path: JIT, body: { user_id: "OWNER", roles: [{ role: "postgres" }] } },
  { id: "jit.get", path: JIT },
  { id: "jit.authorize", path: JIT, body: { role: "postgres", rhost: "192.0.2.1" } },
  { id: "jit.invite", path: `${JIT}/invite`, body: { email: "eve@example.test", roles: [{ role: "reader" }] } },
  { id: "jit.acceptInvite", path: `${JIT}/invite/accept`, body: { email: "eve@example.test", token: "INVITE_TOKEN" } },
  { id: "jit.invite", path: `${JIT}/invite`, body: { email: "kim@example.test", roles: [{ role: "reader" }] } },
  { id: "jit.list", path: `${JIT}/list` },
  { id: "jit.deleteInvite", path: `${JIT}/invite/INVITE_ID` },
  { id: "jit.delete", path: `${JIT}/OWNER` },
  { id: "loginRole.create", path: `/v1/projects/${REF}/cli/login-role`, body: { read_only: true } },
  { id: "loginRole.delete", path: `/v1/projects/${REF}/cli/login-role` },
  { id: "postgresConfig.replace", path: `${DATABASE_CONFIG}/postgres`, body: { max_connections: 50, work_mem: "8MB" } },
  { id: "postgresConfig.get", path: `${DATABASE_CONFIG}/postgres` },
  { id: "pooler.update", path: `${DATABASE_CONFIG}/pooler`, body: { default_pool_size: null, pool_mode: "session" } },
  { id: "pooler.get", path: `${DATABASE_CONFIG}/pooler` },
  { id: "pooler.getPgbouncer", path: `${DATABASE_CONFIG}/pgbouncer` },
  {
    id: "sslEnforcement.update",
    path: `/v1/projects/${REF}/ssl-enforcement`,
    body: { requestedConfig: { database: true } },
  },
  { id: "sslEnforcement.get", path: `/v1/projects/${REF}/ssl-enforcement` },
  {
    id: "networkRestrictions.apply",
    path: `/v1/projects/${REF}/network-restrictions/apply`,
    body: { dbAllowedCidrs: ["203.0.113.0/24"] },
  },
  {
    id: "networkRestrictions.update",
    path: `/v1/projects/${REF}/network-restrictions`,
    body: { add: { dbAllowedCidrsV6: ["2001:db8::/32"] } },
  },
  { id: "networkRestrictions.get", path: `/v1/projects/${REF}/network-restrictions` },
  { id: "networkBans.list", path: `/v1/projects/${REF}/network-bans/retrieve` },
  { id: "networkBans.listEnriched", path: `/v1/projects/${REF}/network-bans/retrieve/enriched` },
  {
    id: "networkBans.delete",
    path: `/v1/projects/${REF}/network-bans`,
    body: { ipv4_addresses: ["203.0.113.7"], requester_ip: true },
  },
  {
    id: "disk.update",
    path: `/v1/projects/${REF}/config/disk`,
    body: { attributes: { type: "io2", iops: 4000, size_gb: 16 } },
  },
  { id: "disk.get", path: `/v1/projects/${REF}/config/disk` },
  { id: "disk.utilization", path: `/v1/projects/${REF}/config/disk/util` },
  { id: "disk.autoscale", path: `/v1/projects/${REF}/config/disk/autoscale` },
  {
    id: "addons.apply",
    path: `/v1/projects/${REF}/billing/addons`,
    body: { addon_variant: "ci_medium", addon_type: "compute_instance" },
  },
  { id: "addons.list", path: `/v1/projects/${REF}/billing/addons` },
  { id: "addons.remove", path: `/v1/projects/${REF}/billing/addons/ci_medium` },
  { id: "backups.list", path: `/v1/projects/${REF}/database/backups` },
  { id: "backups.updateSchedule", path: SCHEDULE, body: { schedule_for: "23:30:00" } },
  { id: "backups.getSchedule", path: SCHEDULE },
  {
    id: "backups.restorePitr",
    path: `/v1/projects/${REF}/database/backups/restore-pitr`,
    body: { recovery_time_target_unix: new ManualClock().now() / 1000 },
  },
  {
    id: "readReplicas.setup",
    path: `/v1/projects/${REF}/read-replicas/setup`,
    body: { read_replica_region: "eu-west-1" },
  },
  {
    id: "readReplicas.remove",
    path: `/v1/projects/${REF}/read-replicas/remove`,
    body: { database_identifier: "replica-1" },
  },
  { id: "readOnlyMode.disableTemporarily", path: `/v1/projects/${REF}/readonly/temporary-disable` },
  { id: "readOnlyMode.get", path: `/v1/projects/${REF}/readonly` },
  { id: "authConfig.update", path: AUTH, body: { saml_enabled: true, site_url: "https://shop.test" } },
  { id: "authConfig.get", path: AUTH },
  {
    id: "ssoProviders.create",
    path: `${AUTH}/sso/providers`,
    body: { type: "saml", metadata_url: "https://idp.test/metadata", domains: ["shop.test"] },
  },
  { id: "ssoProviders.get", path: `${AUTH}/sso/providers/ID` },
  { id: "ssoProviders.list", path: `${AUTH}/sso/providers` },
  { id: "ssoProviders.update", path: `${AUTH}/sso/providers/ID`, body: { domains: [] } },
  { id: "ssoProviders.delete", path: `${AUTH}/sso/providers/ID` },
  { id: "thirdPartyAuth.create", path: `${AUTH}/third-party-auth`, body: { oidc_issuer_url: "https://issuer.test" } },
  { id: "thirdPartyAuth.get", path: `${AUTH}/third-party-auth/ID` },
  { id: "thirdPartyAuth.list", path: `${AUTH}/third-party-auth` },
  { id: "thirdPartyAuth.delete", path: `${AUTH}/third-party-auth/ID` },
  { id: "signingKeys.createLegacy", path: `${AUTH}/signing-keys/legacy` },
  { id: "signingKeys.getLegacy", path: `${AUTH}/signing-keys/legacy` },
  { id: "signingKeys.create", path: `${AUTH}/signing-keys`, body: { algorithm: "ES256" } },
  { id: "signingKeys.list", path: `${AUTH}/signing-keys` },
  { id: "signingKeys.get", path: `${AUTH}/signing-keys/ID` },
  { id: "signingKeys.update", path: `${AUTH}/signing-keys/ID`, body: { status: "revoked" } },
  { id: "signingKeys.delete", path: `${AUTH}/signing-keys/ID` },
  { id: "functions.create", path: `/v1/projects/${REF}/functions`, body: { ...hello, body: "export default 1" } },
  {
    id: "functions.deploy",
    path: `/v1/projects/${REF}/functions/deploy?slug=hello`,
    body: deployForm({ entrypoint_path: "index.ts" }, { "index.ts": "export default 2" }),
  },
  { id: "functions.update", path: `/v1/projects/${REF}/functions/hello`, body: { verify_jwt: false } },
  {
    id: "functions.bulkUpdate",
    path: `/v1/projects/${REF}/functions`,
    body: [{ ...hello, id: "x", status: "ACTIVE", version: 3 }],
  },
  { id: "functions.list", path: `/v1/projects/${REF}/functions` },
  { id: "functions.get", path: `/v1/projects/${REF}/functions/hello` },
  { id: "functions.getBody", path: `/v1/projects/${REF}/functions/hello/body` },
  { id: "analytics.functionStats", path: `${ANALYTICS}/functions.combined-stats?interval=1hr&function_id=FUNCTION` },
  { id: "analytics.apiCounts", path: `${ANALYTICS}/usage.api-counts?interval=15min` },
  { id: "analytics.apiRequestsCount", path: `${ANALYTICS}/usage.api-requests-count` },
  { id: "analytics.allLogs", path: `${ANALYTICS}/logs.all` },
  { id: "analytics.logs", path: `${ANALYTICS}/logs?sql=${encodeURIComponent("select count(*) from logs")}` },
  { id: "functions.delete", path: `/v1/projects/${REF}/functions/hello` },
  { id: "branches.create", path: `/v1/projects/${REF}/branches`, body: { branch_name: "dev" } },
  { id: "branches.list", path: `/v1/projects/${REF}/branches` },
  { id: "branches.getByName", path: `/v1/projects/${REF}/branches/dev` },
  { id: "branches.get", path: "/v1/branches/BRANCH" },
  { id: "branches.update", path: "/v1/branches/BRANCH", body: { branch_name: "test" } },
  { id: "branches.diff", path: "/v1/branches/BRANCH/diff?included_schemas=public&pgdelta=false" },
  { id: "branches.merge", path: "/v1/branches/BRANCH/merge", body: {} },
  { id: "branches.push", path: "/v1/branches/BRANCH/push", body: {} },
  { id: "branches.reset", path: "/v1/branches/BRANCH/reset" },
  { id: "actions.count", path: `${PROJECT}/actions` },
  { id: "actions.list", path: `${PROJECT}/actions?offset=0&limit=10` },
  { id: "actions.get", path: `${PROJECT}/actions/RUN` },
  { id: "actions.logs", path: `${PROJECT}/actions/RUN/logs` },
  { id: "actions.updateStatus", path: `${PROJECT}/actions/RUN/status`, body: { deploy: "PAUSED" } },
  { id: "branches.delete", path: "/v1/branches/BRANCH?force=false" },
  { id: "branches.restore", path: "/v1/branches/BRANCH/restore" },
  { id: "branches.disable", path: `/v1/projects/${REF}/branches` },
  {
    id: "database.query",
    path: `/v1/projects/${REF}/database/query`,
    body: {
      query:
        "create table bare (x int); insert into platform_migrations.schema_migrations values ('1', 'first'); select 1 as one",
    },
  },
  {
    id: "database.queryReadOnly",
    path: `/v1/projects/${REF}/database/query/read-only`,
    body: { query: "select $1::int as x", parameters: [1] },
  },
  { id: "database.context", path: `/v1/projects/${REF}/database/context` },
  { id: "database.openapi", path: `/v1/projects/${REF}/database/openapi?schema=public` },
  { id: "database.typescriptTypes", path: `/v1/projects/${REF}/types/typescript?included_schemas=public,auth` },
  { id: "database.enableWebhooks", path: `/v1/projects/${REF}/database/webhooks/enable` },
  {
    id: "migrations.apply",
    path: `/v1/projects/${REF}/database/migrations`,
    body: { query: "create table m (x int)", name: "m", rollback: "drop table m" },
  },
  { id: "migrations.upsert", path: `/v1/projects/${REF}/database/migrations`, body: { query: "select 1", name: "n" } },
  { id: "migrations.list", path: `/v1/projects/${REF}/database/migrations` },
  { id: "migrations.get", path: `/v1/projects/${REF}/database/migrations/1` },
  { id: "migrations.update", path: `/v1/projects/${REF}/database/migrations/1`, body: { name: "renamed" } },
  { id: "migrations.rollback", path: `/v1/projects/${REF}/database/migrations?gte=1` },
  { id: "advisors.performance", path: `/v1/projects/${REF}/advisors/performance` },
  { id: "advisors.security", path: `/v1/projects/${REF}/advisors/security?lint_type=sql` },
  { id: "snippets.list", path: `/v1/snippets?project_ref=${REF}&limit=1&sort_by=name&sort_order=asc` },
  { id: "snippets.get", path: "/v1/snippets/ce4e2f7e-1111-4222-8333-444455556666" },
  { id: "projects.restart", path: `/v1/projects/${REF}/restart` },
  { id: "projects.pause", path: `/v1/projects/${REF}/pause` },
  { id: "projects.restore", path: `/v1/projects/${REF}/restore` },
  { id: "projects.pause", path: `/v1/projects/${REF}/pause` },
  { id: "projects.restore", path: `/v1/projects/${REF}/restore`, waitMs: 0 },
  { id: "projects.cancelRestore", path: `/v1/projects/${REF}/restore/cancel` },
  { id: "transfers.preview", path: `/v2/projects/${REF}/transfers/previews`, body: transferTo("beta") },
  { id: "transfers.create", path: `/v2/projects/${REF}/transfers`, body: transferTo("beta") },
  { id: "projects.delete", path: `/v1/projects/${REF}` },
];

/** What they find. */
export const everyCallSeed: SeedInput = {
  organizations: ["acme", "beta"].map((slug) => ({ slug, plan: "enterprise", members: { owner: "Owner" } })),
  projects: [
    {
      name: "shop",
      ref: REF,
      postgresVersion: "17.4.1.048",
      instanceSize: "small",
      addons: ["pitr_7"],
      readReplicas: [{ region: "us-west-1", identifier: "replica-1" }],
      branches: [{ name: "main" }],
      bans: [{ address: "203.0.113.7" }],
      buckets: [{ name: "avatars", public: true }],
      softBranchDeletion: true,
    },
  ],
  dns: [{ name: "example.com", obeys: true }],
  snippets: [{ id: "ce4e2f7e-1111-4222-8333-444455556666", project: REF, name: "all", sql: "select 1" }],
  oauthApps: [{ clientId: "app", clientSecret: "app-secret", redirectUris: [CALLBACK] }],
};
