import { logQueries } from "../analytics/log-query.ts";
import type { Databases } from "../database/database.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { World } from "../state/world.ts";
import { actionHandlers } from "../branches/actions.ts";
import { addonsHandlers } from "../infrastructure/addons.ts";
import { advisorHandlers } from "../sql/advisors.ts";
import { analyticsHandlers } from "../analytics/analytics.ts";
import { apiKeyHandlers } from "../keys/api-keys.ts";
import { authConfigHandlers } from "../auth/auth-config.ts";
import { backupsHandlers } from "../infrastructure/backups.ts";
import { branchHandlers } from "../branches/branches.ts";
import { customHostnameHandlers } from "../domains/custom-hostname.ts";
import { dataApiHandlers } from "../services/data-api.ts";
import { databaseHandlers } from "../sql/database.ts";
import { diskHandlers } from "../infrastructure/disk.ts";
import { encryptionKeyHandlers } from "../keys/encryption-key.ts";
import { functionHandlers } from "../functions/functions.ts";
import type { Handlers } from "./handler.ts";
import { jitAccessHandlers } from "../jit/jit-access.ts";
import { jitHandlers } from "../jit/jit.ts";
import { logDrainHandlers } from "../analytics/log-drains.ts";
import { loginRoleHandlers } from "../jit/login-role.ts";
import { migrationHandlers } from "../sql/migrations.ts";
import { networkBansHandlers } from "../infrastructure/network-bans.ts";
import { networkRestrictionsHandlers } from "../infrastructure/network-restrictions.ts";
import { oauthHandlers } from "../oauth/oauth.ts";
import { organizationHandlers, profileHandlers } from "../organizations/organizations.ts";
import { poolerHandlers } from "../infrastructure/pooler.ts";
import { postgresConfigHandlers } from "../infrastructure/postgres-config.ts";
import { projectHandlers } from "../projects/projects.ts";
import { readOnlyModeHandlers } from "../infrastructure/read-only-mode.ts";
import { readReplicasHandlers } from "../infrastructure/read-replicas.ts";
import { realtimeHandlers } from "../services/realtime.ts";
import { secretHandlers } from "../functions/secrets.ts";
import { signingKeyHandlers } from "../auth/signing-keys.ts";
import { snippetHandlers } from "../sql/snippets.ts";
import { sslEnforcementHandlers } from "../infrastructure/ssl-enforcement.ts";
import { ssoProviderHandlers } from "../auth/sso-providers.ts";
import { storageHandlers } from "../services/storage.ts";
import { thirdPartyAuthHandlers } from "../auth/third-party-auth.ts";
import { transferHandlers } from "../projects/transfers.ts";
import { upgradeHandlers } from "../projects/upgrades.ts";
import { vanitySubdomainHandlers } from "../domains/vanity-subdomain.ts";

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
