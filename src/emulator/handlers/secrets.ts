import { visibleProject } from "../access.ts";
import { badRequest } from "../failure.ts";
import type { ProjectRecord, SecretRecord } from "../state/records.ts";
import { sha256, updateProject, type World } from "../state/world.ts";
import type { SectionHandlers } from "./handler.ts";

/** Environment secrets of functions: digests are kept, values are not (facts.md §2, secrets). */
export function secretHandlers(world: World): SectionHandlers<"secrets"> {
  return {
    list: ({ params, caller }) =>
      [...visibleProject(world, caller, params.ref).secrets]
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
      refuseReserved(world, body);
      const left = new Map(project.secrets);
      for (const name of body) left.delete(name);
      updateProject(world, project, { secrets: left });
      return undefined;
    },
  };
}

/** Creates or replaces secrets, all or none. @throws ApiFailure 400 for a reserved name or more secrets than the quota allows */
export function storeSecrets(
  world: World,
  project: ProjectRecord,
  wanted: readonly { readonly name: string; readonly value: string }[],
): void {
  refuseReserved(
    world,
    wanted.map(({ name }) => name),
  );
  const updatedAtMs = world.clock.now();
  const all = new Map(project.secrets);
  for (const { name, value } of wanted) all.set(name, { digest: sha256(value), updatedAtMs, platform: false });
  const quota = world.organizations.get(project.organizationSlug)?.quotas.secretsPerProject ?? Infinity;
  if (ownCount(all) > quota && ownCount(all) > ownCount(project.secrets)) {
    throw badRequest(`Maximum number of secrets exceeded: ${quota} per project`);
  }
  updateProject(world, project, { secrets: all });
}

function ownCount(secrets: ReadonlyMap<string, SecretRecord>): number {
  return [...secrets.values()].filter(({ platform }) => !platform).length;
}

/** Case-sensitive: a lower-case prefix is allowed (facts.md §2). */
function refuseReserved(world: World, names: readonly string[]): void {
  const { reservedSecretPrefix: prefix } = world.settings;
  const reserved = names.find((name) => name.startsWith(prefix));
  if (reserved !== undefined) {
    throw badRequest(
      `name: Secret name ${JSON.stringify(reserved.slice(0, 80))} must not start with the ${prefix} prefix`,
    );
  }
}
