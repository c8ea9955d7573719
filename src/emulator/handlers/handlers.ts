import { logQueries } from "../analytics/log-query.ts";
import type { Databases } from "../database/database.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { World } from "../state/world.ts";
import { actionHandlers } from "./actions.ts";
import { addonsHandlers } from "./addons.ts";
import { advisorHandlers } from "./advisors.ts";
import { analyticsHandlers } from "./analytics.ts";
import { apiKeyHandlers } from "./api-keys.ts";
import { authConfigHandlers } from "./auth-config.ts";
import { backupsHandlers } from "./backups.ts";
import { branchHandlers } from "./branches.ts";
import { customHostnameHandlers } from "./custom-hostname.ts";
import { dataApiHandlers } from "./data-api.ts";
import { databaseHandlers } from "./database.ts";
import { diskHandlers } from "./disk.ts";
import { encryptionKeyHandlers } from "./encryption-key.ts";
import { functionHandlers } from "./functions.ts";
import type { Handlers } from "./handler.ts";
import { jitAccessHandlers } from "./jit-access.ts";
import { jitHandlers } from "./jit.ts";
import { logDrainHandlers } from "./log-drains.ts";
import { loginRoleHandlers } from "./login-role.ts";
import { migrationHandlers } from "./migrations.ts";
import { networkBansHandlers } from "./network-bans.ts";
import { networkRestrictionsHandlers } from "./network-restrictions.ts";
import { oauthHandlers } from "./oauth.ts";
import { organizationHandlers, profileHandlers } from "./organizations.ts";
import { poolerHandlers } from "./pooler.ts";
import { postgresConfigHandlers } from "./postgres-config.ts";
import { projectHandlers } from "./projects.ts";
import { readOnlyModeHandlers } from "./read-only-mode.ts";
import { readReplicasHandlers } from "./read-replicas.ts";
import { realtimeHandlers } from "./realtime.ts";
import { secretHandlers } from "./secrets.ts";
import { signingKeyHandlers } from "./signing-keys.ts";
import { snippetHandlers } from "./snippets.ts";
import { sslEnforcementHandlers } from "./ssl-enforcement.ts";
import { ssoProviderHandlers } from "./sso-providers.ts";
import { storageHandlers } from "./storage.ts";
import { thirdPartyAuthHandlers } from "./third-party-auth.ts";
import { transferHandlers } from "./transfers.ts";
import { upgradeHandlers } from "./upgrades.ts";
import { vanitySubdomainHandlers } from "./vanity-subdomain.ts";

/** One handler for every operation of the contract. */
export function createHandlers(world: World, databases: Databases, requests: RequestLog): Handlers {
  return {
    actions: actionHandlers(world),
    addons: addonsHandlers(world),
    advisors: advisorHandlers(world, databases),
    analytics: analyticsHandlers(world, requests, logQueries(databases)),
    apiKeys: apiKeyHandlers(world),
    authConfig: authConfigHandlers(world),
    backups: backupsHandlers(world),
    branches: branchHandlers(world, databases),
    customHostname: customHostnameHandlers(world),
    dataApi: dataApiHandlers(world),
    database: databaseHandlers(world, databases),
    disk: diskHandlers(world),
    encryptionKey: encryptionKeyHandlers(world),
    functions: functionHandlers(world),
    jit: jitHandlers(world),
    jitAccess: jitAccessHandlers(world),
    logDrains: logDrainHandlers(world),
    loginRole: loginRoleHandlers(world),
    migrations: migrationHandlers(world, databases),
    networkBans: networkBansHandlers(world),
    networkRestrictions: networkRestrictionsHandlers(world),
    oauth: oauthHandlers(world),
    organizations: organizationHandlers(world),
    pooler: poolerHandlers(world),
    postgresConfig: postgresConfigHandlers(world),
    profile: profileHandlers(world),
    projects: projectHandlers(world),
    readOnlyMode: readOnlyModeHandlers(world),
    readReplicas: readReplicasHandlers(world),
    realtime: realtimeHandlers(world),
    secrets: secretHandlers(world),
    signingKeys: signingKeyHandlers(world),
    snippets: snippetHandlers(world),
    sslEnforcement: sslEnforcementHandlers(world),
    ssoProviders: ssoProviderHandlers(world),
    storage: storageHandlers(world),
    thirdPartyAuth: thirdPartyAuthHandlers(world),
    transfers: transferHandlers(world),
    upgrades: upgradeHandlers(world),
    vanitySubdomain: vanitySubdomainHandlers(world),
  };
}
