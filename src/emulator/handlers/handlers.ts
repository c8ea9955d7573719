import type { World } from "../state/world.ts";
import { branchHandlers } from "./branches.ts";
import { dataApiHandlers } from "./data-api.ts";
import { functionHandlers } from "./functions.ts";
import type { Handlers } from "./handler.ts";
import { logDrainHandlers } from "./log-drains.ts";
import { organizationHandlers, profileHandlers } from "./organizations.ts";
import { projectHandlers } from "./projects.ts";
import { secretHandlers } from "./secrets.ts";

/** One handler for every operation of the contract. */
export function createHandlers(world: World): Handlers {
  return {
    branches: branchHandlers(world),
    dataApi: dataApiHandlers(world),
    functions: functionHandlers(world),
    logDrains: logDrainHandlers(world),
    organizations: organizationHandlers(world),
    profile: profileHandlers(world),
    projects: projectHandlers(world),
    secrets: secretHandlers(world),
  };
}
