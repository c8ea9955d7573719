import { actions } from "./actions.ts";
import { addons } from "./addons.ts";
import { advisors } from "./advisors.ts";
import { analytics } from "./analytics.ts";
import { apiKeys } from "./api-keys.ts";
import { authConfig } from "./auth-config.ts";
import { backups } from "./backups.ts";
import { branches } from "./branches.ts";
import { customHostname } from "./custom-hostname.ts";
import { dataApi } from "./data-api.ts";
import { database } from "./database.ts";
import { disk } from "./disk.ts";
import { encryptionKey } from "./encryption-key.ts";
import { functions } from "./functions.ts";
import { jit, jitAccess, loginRole } from "./jit.ts";
import { logDrains } from "./log-drains.ts";
import { migrations } from "./migrations.ts";
import { networkBans } from "./network-bans.ts";
import { networkRestrictions } from "./network-restrictions.ts";
import { oauth } from "./oauth.ts";
import type { Operation } from "./operation.ts";
import { organizations, profile } from "./organizations.ts";
import { pooler } from "./pooler.ts";
import { postgresConfig } from "./postgres-config.ts";
import { projects } from "./projects.ts";
import { readOnlyMode } from "./read-only-mode.ts";
import { readReplicas } from "./read-replicas.ts";
import { realtime } from "./realtime.ts";
import { secrets } from "./secrets.ts";
import { signingKeys } from "./signing-keys.ts";
import { snippets } from "./snippets.ts";
import { sslEnforcement } from "./ssl-enforcement.ts";
import { ssoProviders } from "./sso-providers.ts";
import { storage } from "./storage.ts";
import { thirdPartyAuth } from "./third-party-auth.ts";
import { transfers } from "./transfers.ts";
import { upgrades } from "./upgrades.ts";
import { vanitySubdomain } from "./vanity-subdomain.ts";

/** Every operation, by section and verb. The client has the same shape. */
export const contract = {
  actions,
  addons,
  advisors,
  analytics,
  apiKeys,
  authConfig,
  backups,
  branches,
  customHostname,
  dataApi,
  database,
  disk,
  encryptionKey,
  functions,
  jit,
  jitAccess,
  logDrains,
  loginRole,
  migrations,
  networkBans,
  networkRestrictions,
  oauth,
  organizations,
  pooler,
  postgresConfig,
  profile,
  projects,
  readOnlyMode,
  readReplicas,
  realtime,
  secrets,
  signingKeys,
  snippets,
  sslEnforcement,
  ssoProviders,
  storage,
  thirdPartyAuth,
  transfers,
  upgrades,
  vanitySubdomain,
} as const;

export type Contract = typeof contract;

/** Every operation in one list, in the order of the sections. */
export const operations: readonly Operation[] = Object.values<Readonly<Record<string, Operation>>>(contract).flatMap(
  (section) => Object.values(section),
);
