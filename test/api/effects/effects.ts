import type { Contract } from "../../../src/api/contract/contract.ts";
import { analytics, logDrains } from "./analytics.ts";
import { authConfig, ssoProviders, thirdPartyAuth } from "./auth.ts";
import { actions, branches } from "./branches.ts";
import { advisors, database, migrations, snippets } from "./database.ts";
import { functions } from "./functions.ts";
import {
  addons,
  backups,
  disk,
  pooler,
  postgresConfig,
  readOnlyMode,
  readReplicas,
  sslEnforcement,
} from "./infrastructure.ts";
import { jit, jitAccess, loginRole } from "./jit.ts";
import { apiKeys, encryptionKey, secrets, signingKeys } from "./keys.ts";
import { networkBans, networkRestrictions } from "./network.ts";
import { oauth } from "./oauth.ts";
import { organizations, profile, transfers } from "./organizations.ts";
import { projects, upgrades } from "./projects.ts";
import type { EffectsOf } from "./scene.ts";
import { customHostname, dataApi, realtime, storage, vanitySubdomain } from "./services.ts";

/** Every operation's effect: without one of them this has not the type that it says. */
export const EFFECTS: { readonly [Section in keyof Contract]: EffectsOf<Section> } = {
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
};
