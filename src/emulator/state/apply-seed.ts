import { setDns } from "../domains/dns-seed.ts";
import { addOAuthApp } from "../oauth/oauth-apps.ts";
import { putSnippet } from "../sql/snippet-store.ts";
import { changeSettings } from "./change-settings.ts";
import type { Seed } from "./seed.ts";
import { addOrganization, addToken, ensureUser } from "./seed-people.ts";
import { addProject } from "./seed-project.ts";
import type { World } from "./world.ts";

/** Adds what a seed describes to the state. @throws SeedError */
export function applySeed(world: World, seed: Seed): void {
  if (seed.settings !== undefined) changeSettings(world, seed.settings);
  for (const user of seed.users) ensureUser(world, user.username, user);
  for (const organization of seed.organizations) addOrganization(world, organization);
  for (const { token, ...rights } of seed.tokens) addToken(world, token, rights);
  for (const project of seed.projects) addProject(world, project);
  for (const record of seed.dns) setDns(world, record);
  for (const { region, ...capacity } of seed.regions) world.regions.set(region, capacity);
  for (const app of seed.oauthApps) addOAuthApp(world, app);
  for (const snippet of seed.snippets) putSnippet(world, snippet);
}
