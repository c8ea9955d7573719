import { orderRunFailure } from "../branches/runs.ts";
import { orderBundleFailure } from "../functions/deploy.ts";
import { setDns } from "../domains/dns-seed.ts";
import { addOAuthApp } from "../oauth/oauth-apps.ts";
import { putSnippet } from "../sql/snippet-store.ts";
import { changeSettings } from "./change-settings.ts";
import { orderHold, projectNames, projectsCalled } from "./order-hold.ts";
import { eachWithin, notThere } from "./seed-error.ts";
import type { Seed } from "./seed.ts";
import { addOrganization, addToken, ensureUser } from "./seed-people.ts";
import { addProject } from "./seed-project.ts";
import type { World } from "./world.ts";

/** Adds what a seed describes to the state. @throws SeedError */
export function applySeed(world: World, seed: Seed): void {
  if (seed.settings !== undefined) changeSettings(world, seed.settings);
  eachWithin(["users"], seed.users, (user) => ensureUser(world, user.username, user));
  eachWithin(["organizations"], seed.organizations, (organization) => addOrganization(world, organization));
  for (const { token, ...rights } of seed.tokens) addToken(world, token, rights);
  for (const release of seed.releases) world.releases.set(release.version, release);
  eachWithin(["projects"], seed.projects, (project) => addProject(world, project));
  for (const record of seed.dns) setDns(world, record);
  for (const { region, ...capacity } of seed.regions) world.regions.set(region, capacity);
  eachWithin(["oauthApps"], seed.oauthApps, (app) => addOAuthApp(world, app));
  eachWithin(["snippets"], seed.snippets, (snippet) => putSnippet(world, snippet));
  for (const { url, jwks } of seed.thirdPartyKeys) world.publishedJwks.set(url, { jwks });
  eachWithin(["failingBundles"], seed.failingBundles, (failure) => failBundle(world, failure));
  for (const failure of seed.failingSteps) orderRunFailure(world, failure);
  for (const rule of seed.holds) orderHold(world, rule);
}

function failBundle(world: World, { project, ...failure }: Seed["failingBundles"][number]): void {
  if (project === undefined) {
    orderBundleFailure(world, failure);
    return;
  }
  const [found] = projectsCalled(world, project);
  if (found === undefined) throw notThere(["project"], { what: "project", name: project, known: projectNames(world) });
  orderBundleFailure(world, { ...failure, ref: found.ref });
}
