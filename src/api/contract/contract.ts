import { apiKeys } from "./api-keys.ts";
import { authConfig } from "./auth-config.ts";
import { branches } from "./branches.ts";
import { dataApi } from "./data-api.ts";
import { encryptionKey } from "./encryption-key.ts";
import { functions } from "./functions.ts";
import { logDrains } from "./log-drains.ts";
import type { Operation } from "./operation.ts";
import { organizations, profile } from "./organizations.ts";
import { projects } from "./projects.ts";
import { secrets } from "./secrets.ts";
import { signingKeys } from "./signing-keys.ts";
import { ssoProviders } from "./sso-providers.ts";
import { thirdPartyAuth } from "./third-party-auth.ts";

/** Every operation, by section and verb. The client has the same shape. */
export const contract = {
  apiKeys,
  authConfig,
  branches,
  dataApi,
  encryptionKey,
  functions,
  logDrains,
  organizations,
  profile,
  projects,
  secrets,
  signingKeys,
  ssoProviders,
  thirdPartyAuth,
} as const;

export type Contract = typeof contract;

/** Every operation in one list, in the order of the sections. */
export const operations: readonly Operation[] = Object.values<Readonly<Record<string, Operation>>>(contract).flatMap(
  (section) => Object.values(section),
);
