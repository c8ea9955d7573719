import { dataApiConfig } from "../services/data-api-state.ts";
import { customHostnames, dns, vanitySubdomains } from "../domains/hostname-state.ts";
import { realtimeConfig } from "../services/realtime-state.ts";
import { releases, upgradeObstacles, upgrades } from "../projects/upgrade-state.ts";
import { addons, computeHistory } from "../infrastructure/addon-state.ts";
import { authConfig } from "../auth/auth-config-state.ts";
import { backupSchedule } from "../infrastructure/backup-state.ts";
import { pooler, postgresConfig, sslEnforcement } from "../infrastructure/database-config-state.ts";
import { disk, readOnlyMode } from "../infrastructure/disk-state.ts";
import {
  FRESH_JIT_SWITCH,
  jitGrantSchema,
  jitInvitationSchema,
  jitSwitchSchema,
  loginRoleSchema,
} from "../jit/jit-state.ts";
import { logDrainRecordSchema } from "../analytics/log-drain-state.ts";
import { oauthApps, oauthCodes, oauthGrants, oauthRequests, refreshTokens } from "../oauth/oauth-state.ts";
import { projectRoles } from "../organizations/project-roles-state.ts";
import { apiKeyRecordSchema, KEYS_OF_FRESH_PROJECT, projectKeysSchema } from "../keys/project-keys-state.ts";
import { networkBans, networkRestrictions } from "../infrastructure/network-state.ts";
import {
  branchRecordSchema,
  functionRecordSchema,
  organizationSchema,
  projectRecordSchema,
  secretRecordSchema,
  tokenSchema,
  userSchema,
} from "./records.ts";
import { readReplicas } from "../infrastructure/replica-state.ts";
import { snippetRowSchema } from "../sql/snippet-state.ts";
import { regions } from "../projects/region-state.ts";
import { serviceTroubles } from "../projects/service-trouble-state.ts";
import { runFailureSchema, runRecordSchema } from "../branches/run-state.ts";
import { serviceSchema } from "./service-state.ts";
import { signingKeys } from "../auth/signing-key-state.ts";
import { publishedJwks, ssoProviders, thirdPartyAuth } from "../auth/sso-state.ts";
import { buckets, storageConfig } from "../services/storage-state.ts";
import { type ChangeLog, type OfProjects, ProjectTable, ProjectValue, type StoredTable, Table } from "./table.ts";

/** Every table of the state, each in one line: its name in saved state and the schema of its rows. */
export function createTables(changes: ChangeLog) {
  return {
    /** the one row `service`: what is true of the emulated service as a whole */
    service: new Table({ name: "service", row: serviceSchema }, changes),
    users: new Table({ name: "users", row: userSchema }, changes),
    /** by the SHA-256 of the token, so that the token itself is kept nowhere */
    tokens: new Table({ name: "tokens", row: tokenSchema }, changes),
    organizations: new Table({ name: "organizations", row: organizationSchema }, changes),
    projectRoles: new Table(projectRoles, changes),
    projects: new Table({ name: "projects", row: projectRecordSchema }, changes),
    branches: new Table({ name: "branches", row: branchRecordSchema }, changes),
    projectKeys: new ProjectValue(
      { name: "projectKeys", row: projectKeysSchema, default: KEYS_OF_FRESH_PROJECT },
      changes,
    ),
    apiKeys: new ProjectTable({ name: "apiKeys", row: apiKeyRecordSchema }, changes),
    customHostnames: new ProjectValue(customHostnames, changes),
    vanitySubdomains: new ProjectValue(vanitySubdomains, changes),
    dns: new Table(dns, changes),
    dataApiConfig: new ProjectValue(dataApiConfig, changes),
    realtimeConfig: new ProjectValue(realtimeConfig, changes),
    storageConfig: new ProjectValue(storageConfig, changes),
    buckets: new ProjectTable(buckets, changes),
    regions: new Table(regions, changes),
    releases: new Table(releases, changes),
    upgrades: new ProjectValue(upgrades, changes),
    upgradeObstacles: new ProjectValue(upgradeObstacles, changes),
    serviceTroubles: new ProjectTable(serviceTroubles, changes),
    functions: new ProjectTable({ name: "functions", row: functionRecordSchema }, changes),
    jitSwitches: new ProjectValue({ name: "jitSwitches", row: jitSwitchSchema, default: FRESH_JIT_SWITCH }, changes),
    jitGrants: new ProjectTable({ name: "jitGrants", row: jitGrantSchema }, changes),
    jitInvitations: new ProjectTable({ name: "jitInvitations", row: jitInvitationSchema }, changes),
    loginRoles: new ProjectTable({ name: "loginRoles", row: loginRoleSchema }, changes),
    logDrains: new ProjectTable({ name: "logDrains", row: logDrainRecordSchema }, changes),
    postgresConfig: new ProjectValue(postgresConfig, changes),
    pooler: new ProjectValue(pooler, changes),
    sslEnforcement: new ProjectValue(sslEnforcement, changes),
    oauthApps: new Table(oauthApps, changes),
    oauthGrants: new Table(oauthGrants, changes),
    oauthRequests: new Table(oauthRequests, changes),
    oauthCodes: new Table(oauthCodes, changes),
    refreshTokens: new Table(refreshTokens, changes),
    networkRestrictions: new ProjectValue(networkRestrictions, changes),
    networkBans: new ProjectTable(networkBans, changes),
    disk: new ProjectValue(disk, changes),
    readOnlyMode: new ProjectValue(readOnlyMode, changes),
    addons: new ProjectTable(addons, changes),
    computeHistory: new ProjectValue(computeHistory, changes),
    backupSchedule: new ProjectValue(backupSchedule, changes),
    readReplicas: new ProjectTable(readReplicas, changes),
    authConfig: new ProjectValue(authConfig, changes),
    ssoProviders: new ProjectTable(ssoProviders, changes),
    thirdPartyAuth: new ProjectTable(thirdPartyAuth, changes),
    publishedJwks: new Table(publishedJwks, changes),
    signingKeys: new ProjectTable(signingKeys, changes),
    runs: new ProjectTable({ name: "runs", row: runRecordSchema }, changes),
    runFailures: new Table({ name: "runFailures", row: runFailureSchema }, changes),
    secrets: new ProjectTable({ name: "secrets", row: secretRecordSchema }, changes),
    snippets: new ProjectTable({ name: "snippets", row: snippetRowSchema }, changes),
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
