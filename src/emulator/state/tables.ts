import { addons, computeHistory } from "./addon-state.ts";
import { backupSchedule } from "./backup-state.ts";
import { pooler, postgresConfig, sslEnforcement } from "./database-config-state.ts";
import { disk, readOnlyMode } from "./disk-state.ts";
import { logDrainRecordSchema } from "./log-drain-state.ts";
import { apiKeyRecordSchema, KEYS_OF_FRESH_PROJECT, projectKeysSchema } from "./project-keys-state.ts";
import { networkBans, networkRestrictions } from "./network-state.ts";
import {
  branchRecordSchema,
  functionRecordSchema,
  organizationSchema,
  projectRecordSchema,
  secretRecordSchema,
  tokenSchema,
  userSchema,
} from "./records.ts";
import { readReplicas } from "./replica-state.ts";
import { serviceSchema } from "./service-state.ts";
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
    projects: new Table({ name: "projects", row: projectRecordSchema }, changes),
    branches: new Table({ name: "branches", row: branchRecordSchema }, changes),
    projectKeys: new ProjectValue(
      { name: "projectKeys", row: projectKeysSchema, default: KEYS_OF_FRESH_PROJECT },
      changes,
    ),
    apiKeys: new ProjectTable({ name: "apiKeys", row: apiKeyRecordSchema }, changes),
    functions: new ProjectTable({ name: "functions", row: functionRecordSchema }, changes),
    logDrains: new ProjectTable({ name: "logDrains", row: logDrainRecordSchema }, changes),
    postgresConfig: new ProjectValue(postgresConfig, changes),
    pooler: new ProjectValue(pooler, changes),
    sslEnforcement: new ProjectValue(sslEnforcement, changes),
    networkRestrictions: new ProjectValue(networkRestrictions, changes),
    networkBans: new ProjectTable(networkBans, changes),
    disk: new ProjectValue(disk, changes),
    readOnlyMode: new ProjectValue(readOnlyMode, changes),
    addons: new ProjectTable(addons, changes),
    computeHistory: new ProjectValue(computeHistory, changes),
    backupSchedule: new ProjectValue(backupSchedule, changes),
    readReplicas: new ProjectTable(readReplicas, changes),
    secrets: new ProjectTable({ name: "secrets", row: secretRecordSchema }, changes),
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
