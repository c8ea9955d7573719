import { z } from "zod";
import type { Seen } from "../matrix/seen.ts";
import type { Garden } from "./garden.ts";
import { refOf } from "./hand-actions.ts";
import type { World } from "./world.ts";

/** Whether every function has read the environment that Secret objects with `redeployOnSecretChange` made (K-36): by the records, and by the platform's times. */

const madeSchema = z.object({ revision: z.string().optional(), pending: z.string().optional() }).default({});
const readSchema = z.array(z.object({ uid: z.string(), revision: z.string() })).default([]);

/** What is wrong in a garden in which all else is as it should be. */
export async function environmentFaults(
  world: World,
  garden: Garden,
  all: readonly Seen[],
): Promise<readonly string[]> {
  const own = all.filter(({ metadata }) => metadata.namespace === garden.namespace);
  const flagged = own.filter(
    ({ kind, metadata: { name } }) => kind === "Secret" && garden.secrets.get(name)?.redeploys === true,
  );
  const readers = own.filter(({ kind, metadata: { name } }) => kind === "EdgeFunction" && isRedeployed(garden, name));
  if (flagged.length === 0) return [];
  const recorded = [...flagged.flatMap(doubts), ...readers.flatMap((reader) => unread(reader, flagged))];
  if (recorded.length > 0 || readers.length === 0) return recorded.map((fault) => `${garden.namespace}: ${fault}`);
  return (await outdated(world, garden)).map((fault) => `${garden.namespace}: ${fault}`);
}

/** One that only observes is not deployed, nor one where a deployment would write over what is to be left. */
function isRedeployed({ functions, observedFunctions, drifted }: Garden, name: string): boolean {
  return functions.has(name) && !observedFunctions.has(name) && !drifted.has(name);
}

function doubts({ metadata, status }: Seen): readonly string[] {
  const { pending } = madeSchema.parse(status.environment);
  return pending === undefined ? [] : [`Secret ${metadata.name} is in doubt about a change of the environment`];
}

function unread({ metadata, status }: Seen, flagged: readonly Seen[]): readonly string[] {
  const name = `EdgeFunction ${metadata.name}`;
  if (status.redeployment !== undefined) return [`${name} is in doubt about a deployment`];
  const read = new Map(readSchema.parse(status.environment).map(({ uid, revision }) => [uid, revision]));
  return flagged.flatMap((secret) => {
    const { revision } = madeSchema.parse(secret.status.environment);
    const has = revision === undefined || read.get(secret.metadata.uid) === revision;
    return has ? [] : [`${name} was not deployed with the revision ${revision} of Secret ${secret.metadata.name}`];
  });
}

/** By the platform's own times: no function is older than a value that is to be in its environment. */
async function outdated(world: World, garden: Garden): Promise<readonly string[]> {
  const client = world.human(garden);
  const ref = await refOf(world.emulator, garden);
  const [functions, secrets] = await Promise.all([client.functions.list({ ref }), client.secrets.list({ ref })]);
  const names = [...garden.secrets]
    .filter(
      ([name, { redeploys }]) => redeploys && !garden.observedSecrets.has(name) && !garden.driftedSecrets.has(name),
    )
    .flatMap(([, { values }]) => [...values.keys()]);
  const setAt = secrets.flatMap(({ name, updated_at }) =>
    names.includes(name) && updated_at !== undefined ? [Date.parse(updated_at)] : [],
  );
  const newest = Math.max(...setAt);
  return functions
    .filter(({ slug, updated_at = -Infinity }) => isRedeployed(garden, slug) && updated_at < newest)
    .map(({ slug }) => `the function ${slug} is older than its environment`);
}
