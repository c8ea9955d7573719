import { tokens } from "../access/token-state.ts";
import { logDrains } from "../analytics/log-drain-state.ts";
import { authConfig } from "../auth/auth-config-state.ts";
import { signingKeys } from "../auth/signing-key-state.ts";
import { ssoProviders } from "../auth/sso-state.ts";
import { publishedJwks, thirdPartyAuth } from "../auth/third-party-auth-state.ts";
import { branches } from "../branches/branch-state.ts";
import { runFailures } from "../branches/run-failure-state.ts";
import { runs } from "../branches/run-state.ts";
import { customHostnames, dns, vanitySubdomains } from "../domains/hostname-state.ts";
import { bundleFailures } from "../functions/bundle-failure-state.ts";
import { functions } from "../functions/function-state.ts";
import { secrets } from "../functions/secret-state.ts";
import { addons, computeHistory } from "../infrastructure/addon-state.ts";
import { backupSchedule } from "../infrastructure/backup-state.ts";
import { pooler, postgresConfig, sslEnforcement } from "../infrastructure/database-config-state.ts";
import { disk, readOnlyMode } from "../infrastructure/disk-state.ts";
import { networkBans, networkRestrictions } from "../infrastructure/network-state.ts";
import { readReplicas } from "../infrastructure/replica-state.ts";
import { jitGrants, jitInvitations, jitSwitches, loginRoles } from "../jit/jit-state.ts";
import { apiKeys, projectKeys } from "../keys/key-state.ts";
import { oauthApps, oauthCodes, oauthGrants, oauthRequests, refreshTokens } from "../oauth/oauth-state.ts";
import { organizations } from "../organizations/organization-state.ts";
import { projectRoles } from "../organizations/project-role-state.ts";
import { users } from "../organizations/user-state.ts";
import { projects } from "../projects/project-state.ts";
import { regions } from "../projects/region-state.ts";
import { serviceTroubles } from "../projects/service-trouble-state.ts";
import { releases, upgradeObstacles, upgrades } from "../projects/upgrade-state.ts";
import { dataApiConfig } from "../services/data-api-state.ts";
import { realtimeConfig } from "../services/realtime-state.ts";
import { buckets, storageConfig } from "../services/storage-state.ts";
import { snippets } from "../sql/snippet-state.ts";
import { serviceSchema } from "./service-state.ts";
import { type ChangeLog, type OfProjects, ProjectTable, ProjectValue, type StoredTable, Table } from "./table.ts";

/** Every table of the state, by its area and each in one line; its name in saved state and what its rows look like stand in its area's x-state.ts. */
export function createTables(changes: ChangeLog) {
  return {
    /** the one row `service`: what is true of the emulated service as a whole */
    service: new Table({ name: "service", row: serviceSchema }, changes),
    tokens: new Table(tokens, changes),
    logDrains: new ProjectTable(logDrains, changes),
    authConfig: new ProjectValue(authConfig, changes),
    signingKeys: new ProjectTable(signingKeys, changes),
    ssoProviders: new ProjectTable(ssoProviders, changes),
    thirdPartyAuth: new ProjectTable(thirdPartyAuth, changes),
    publishedJwks: new Table(publishedJwks, changes),
    branches: new Table(branches, changes),
    runs: new ProjectTable(runs, changes),
    runFailures: new Table(runFailures, changes),
    customHostnames: new ProjectValue(customHostnames, changes),
    vanitySubdomains: new ProjectValue(vanitySubdomains, changes),
    dns: new Table(dns, changes),
    functions: new ProjectTable(functions, changes),
    bundleFailures: new Table(bundleFailures, changes),
    secrets: new ProjectTable(secrets, changes),
    addons: new ProjectTable(addons, changes),
    computeHistory: new ProjectValue(computeHistory, changes),
    backupSchedule: new ProjectValue(backupSchedule, changes),
    postgresConfig: new ProjectValue(postgresConfig, changes),
    pooler: new ProjectValue(pooler, changes),
    sslEnforcement: new ProjectValue(sslEnforcement, changes),
    disk: new ProjectValue(disk, changes),
    readOnlyMode: new ProjectValue(readOnlyMode, changes),
    networkRestrictions: new ProjectValue(networkRestrictions, changes),
    networkBans: new ProjectTable(networkBans, changes),
    readReplicas: new ProjectTable(readReplicas, changes),
    jitSwitches: new ProjectValue(jitSwitches, changes),
    jitGrants: new ProjectTable(jitGrants, changes),
    jitInvitations: new ProjectTable(jitInvitations, changes),
    loginRoles: new ProjectTable(loginRoles, changes),
    projectKeys: new ProjectValue(projectKeys, changes),
    apiKeys: new ProjectTable(apiKeys, changes),
    oauthApps: new Table(oauthApps, changes),
    oauthGrants: new Table(oauthGrants, changes),
    oauthRequests: new Table(oauthRequests, changes),
    oauthCodes: new Table(oauthCodes, changes),
    refreshTokens: new Table(refreshTokens, changes),
    organizations: new Table(organizations, changes),
    projectRoles: new Table(projectRoles, changes),
    users: new Table(users, changes),
    projects: new Table(projects, changes),
    regions: new Table(regions, changes),
    serviceTroubles: new ProjectTable(serviceTroubles, changes),
    releases: new Table(releases, changes),
    upgrades: new ProjectValue(upgrades, changes),
    upgradeObstacles: new ProjectValue(upgradeObstacles, changes),
    dataApiConfig: new ProjectValue(dataApiConfig, changes),
    realtimeConfig: new ProjectValue(realtimeConfig, changes),
    storageConfig: new ProjectValue(storageConfig, changes),
    buckets: new ProjectTable(buckets, changes),
    snippets: new ProjectTable(snippets, changes),
  } as const satisfies Readonly<Record<string, StoredTable>>;
}
export type Tables = ReturnType<typeof createTables>;

/** Every table, for those who walk through all. */
export function allTables(tables: Tables): readonly StoredTable[] {
  return Object.values<StoredTable>(tables);
}

/** The tables whose rows go with their project. */
export function ofProjects(tables: Tables): readonly OfProjects[] {
  return Object.values<StoredTable>(tables).filter(
    (table): table is StoredTable & OfProjects => table instanceof ProjectTable || table instanceof ProjectValue,
  );
}
