import { logQueries } from "../analytics/log-query.ts";
import type { Databases } from "../postgres/database.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { World } from "../state/world.ts";
import { actionsHandlers } from "../branches/actions.ts";
import { addonsHandlers } from "../infrastructure/addons.ts";
import { advisorsHandlers } from "../sql/advisors.ts";
import { analyticsHandlers } from "../analytics/analytics.ts";
import { apiKeysHandlers } from "../keys/api-keys.ts";
import { authConfigHandlers } from "../auth/auth-config.ts";
import { backupsHandlers } from "../infrastructure/backups.ts";
import { branchesHandlers } from "../branches/branches.ts";
import { customHostnameHandlers } from "../domains/custom-hostname.ts";
import { dataApiHandlers } from "../services/data-api.ts";
import { databaseHandlers } from "../sql/database.ts";
import { diskHandlers } from "../infrastructure/disk.ts";
import { encryptionKeyHandlers } from "../keys/encryption-key.ts";
import { functionsHandlers } from "../functions/functions.ts";
import type { Handlers } from "./handler.ts";
import { jitAccessHandlers } from "../jit/jit-access.ts";
import { jitHandlers } from "../jit/jit.ts";
import { logDrainsHandlers } from "../analytics/log-drains.ts";
import { loginRoleHandlers } from "../jit/login-role.ts";
import { migrationsHandlers } from "../sql/migrations.ts";
import { networkBansHandlers } from "../infrastructure/network-bans.ts";
import { networkRestrictionsHandlers } from "../infrastructure/network-restrictions.ts";
import { oauthHandlers } from "../oauth/oauth.ts";
import { organizationsHandlers, profileHandlers } from "../organizations/organizations.ts";
import { poolerHandlers } from "../infrastructure/pooler.ts";
import { postgresConfigHandlers } from "../infrastructure/postgres-config.ts";
import { projectsHandlers } from "../projects/projects.ts";
import { readOnlyModeHandlers } from "../infrastructure/read-only-mode.ts";
import { readReplicasHandlers } from "../infrastructure/read-replicas.ts";
import { realtimeHandlers } from "../services/realtime.ts";
import { secretsHandlers } from "../functions/secrets.ts";
import { signingKeysHandlers } from "../auth/signing-keys.ts";
import { snippetsHandlers } from "../sql/snippets.ts";
import { sslEnforcementHandlers } from "../infrastructure/ssl-enforcement.ts";
import { ssoProvidersHandlers } from "../auth/sso-providers.ts";
import { storageHandlers } from "../services/storage.ts";
import { thirdPartyAuthHandlers } from "../auth/third-party-auth.ts";
import { transfersHandlers } from "../projects/transfers.ts";
import { upgradesHandlers } from "../projects/upgrades.ts";
import { vanitySubdomainHandlers } from "../domains/vanity-subdomain.ts";

/** One handler for every operation of the contract. */
export function createHandlers(world: World, databases: Databases, requests: RequestLog): Handlers {
  return {
    actions: actionsHandlers(world),
    addons: addonsHandlers(world),
    advisors: advisorsHandlers(world, databases),
    analytics: analyticsHandlers(world, requests, logQueries(databases)),
    apiKeys: apiKeysHandlers(world),
    authConfig: authConfigHandlers(world),
    backups: backupsHandlers(world, databases),
    branches: branchesHandlers(world, databases),
    customHostname: customHostnameHandlers(world),
    dataApi: dataApiHandlers(world),
    database: databaseHandlers(world, databases),
    disk: diskHandlers(world),
    encryptionKey: encryptionKeyHandlers(world),
    functions: functionsHandlers(world),
    jit: jitHandlers(world),
    jitAccess: jitAccessHandlers(world),
    logDrains: logDrainsHandlers(world),
    loginRole: loginRoleHandlers(world),
    migrations: migrationsHandlers(world, databases),
    networkBans: networkBansHandlers(world),
    networkRestrictions: networkRestrictionsHandlers(world),
    oauth: oauthHandlers(world),
    organizations: organizationsHandlers(world),
    pooler: poolerHandlers(world),
    postgresConfig: postgresConfigHandlers(world),
    profile: profileHandlers(world),
    projects: projectsHandlers(world),
    readOnlyMode: readOnlyModeHandlers(world),
    readReplicas: readReplicasHandlers(world),
    realtime: realtimeHandlers(world),
    secrets: secretsHandlers(world),
    signingKeys: signingKeysHandlers(world),
    snippets: snippetsHandlers(world),
    sslEnforcement: sslEnforcementHandlers(world),
    ssoProviders: ssoProvidersHandlers(world),
    storage: storageHandlers(world),
    thirdPartyAuth: thirdPartyAuthHandlers(world),
    transfers: transfersHandlers(world),
    upgrades: upgradesHandlers(world),
    vanitySubdomain: vanitySubdomainHandlers(world),
  };
}
