import { visibleProject } from "../access.ts";
import { badRequest } from "../failure.ts";
import type { SecretRecord } from "./secret-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/** Environment secrets of functions: digests are kept, values are not (facts.md §2, secrets). */
export function secretsHandlers(world: World): SectionHandlers<"secrets"> {
  return {
    list: ({ params, caller }) =>
      [...world.secrets.of(visibleProject(world, caller, params.ref).ref)]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { digest, updatedAtMs }]) => ({
          name,
          value: digest,
          updated_at: new Date(updatedAtMs).toISOString(),
        })),
    create: ({ params, body, caller }) => {
      storeSecrets(world, visibleProject(world, caller, params.ref), body);
      return undefined;
    },
    delete: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      refuseReserved(world, project.ref, body);
      for (const name of body) world.secrets.delete(project.ref, name);
      return undefined;
    },
  };
}

type WantedSecrets = readonly { readonly name: string; readonly value: string }[];

/** Creates or replaces secrets, all or none. @throws ApiFailure 400 as checkSecrets says */
export function storeSecrets(world: World, project: ProjectRecord, wanted: WantedSecrets): void {
  checkSecrets(world, project, wanted);
  const updatedAtMs = world.clock.now();
  for (const { name, value } of wanted) {
    world.secrets.set(project.ref, name, { digest: sha256(value), updatedAtMs, platform: false });
  }
}

/** @throws ApiFailure 400 for a reserved name or more secrets than the quota allows */
export function checkSecrets(
  world: World,
  project: Pick<ProjectRecord, "ref" | "organizationSlug">,
  wanted: WantedSecrets,
): void {
  const names = wanted.map(({ name }) => name);
  refuseReserved(world, project.ref, names);
  const known = ownNames(world.secrets.of(project.ref));
  const after = new Set([...known, ...names]).size;
  const quota = organizationOf(world, project).quotas.secretsPerProject;
  if (after > quota && after > known.length) {
    throw badRequest(`Maximum number of secrets exceeded: ${quota} per project`);
  }
}

function ownNames(secrets: ReadonlyMap<string, SecretRecord>): readonly string[] {
  return [...secrets].filter(([, { platform }]) => !platform).map(([name]) => name);
}

/** @throws ApiFailure 400 for a name that is reserved */
function refuseReserved(world: World, ref: string, names: readonly string[]): void {
  for (const name of names) {
    const words = reservedWords(world, ref, name);
    if (words !== undefined) throw badRequest(`name: ${words}`);
  }
}

/**
 * Why a secret may not have a name; undefined: it may. Case-sensitive: a lower-case prefix is allowed. What the platform has set "cannot be
 * changed" (facts.md §2), also where its name begins with a prefix that is reserved no longer.
 */
export function reservedWords(world: World, ref: string, name: string): string | undefined {
  const { reservedSecretPrefix: prefix } = world.settings;
  if (name.startsWith(prefix)) {
    return `Secret name ${JSON.stringify(name.slice(0, 80))} must not start with the ${prefix} prefix`;
  }
  return world.secrets.get(ref, name)?.platform === true ? `Secret ${name} is set by the platform` : undefined;
}
