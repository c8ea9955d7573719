import type { World } from "../state/world.ts";
import { apiKeyHandlers } from "./api-keys.ts";
import { authConfigHandlers } from "./auth-config.ts";
import { branchHandlers } from "./branches.ts";
import { dataApiHandlers } from "./data-api.ts";
import { encryptionKeyHandlers } from "./encryption-key.ts";
import { functionHandlers } from "./functions.ts";
import type { Handlers } from "./handler.ts";
import { logDrainHandlers } from "./log-drains.ts";
import { organizationHandlers, profileHandlers } from "./organizations.ts";
import { projectHandlers } from "./projects.ts";
import { secretHandlers } from "./secrets.ts";
import { signingKeyHandlers } from "./signing-keys.ts";
import { ssoProviderHandlers } from "./sso-providers.ts";
import { thirdPartyAuthHandlers } from "./third-party-auth.ts";

/** One handler for every operation of the contract. */
export function createHandlers(world: World): Handlers {
  return {
    apiKeys: apiKeyHandlers(world),
    branches: branchHandlers(world),
    dataApi: dataApiHandlers(world),
    encryptionKey: encryptionKeyHandlers(world),
    functions: functionHandlers(world),
    logDrains: logDrainHandlers(world),
    organizations: organizationHandlers(world),
    profile: profileHandlers(world),
    projects: projectHandlers(world),
    secrets: secretHandlers(world),
    authConfig: authConfigHandlers(world),
    signingKeys: signingKeyHandlers(world),
    ssoProviders: ssoProviderHandlers(world),
    thirdPartyAuth: thirdPartyAuthHandlers(world),
  };
}
