import { switchDataApi } from "../services/data-api-switch.ts";
import type { BucketSeed, DnsSeed, UpgradeSeed } from "./hosting-seed.ts";
import type { SeedProject } from "../state/seed.ts";
import type { World } from "../state/world.ts";

/** Puts what seeds and control calls say of buckets, upgrades and name servers into the state. */

/** What a seed says of a project's services. */
export function seedHosting(world: World, ref: string, { buckets, upgrade, dataApi }: SeedProject): void {
  for (const bucket of buckets) putBucket(world, ref, bucket);
  if (upgrade !== undefined) setObstacles(world, ref, upgrade);
  if (!dataApi) switchDataApi(world, ref, false);
}

export function putBucket(world: World, ref: string, bucket: BucketSeed): void {
  const nowMs = world.clock.now();
  const { createdAtMs = nowMs } = world.buckets.get(ref, bucket.name) ?? {};
  world.buckets.set(ref, bucket.name, { ...bucket, createdAtMs, updatedAtMs: nowMs });
}

export function setObstacles(world: World, ref: string, obstacles: UpgradeSeed): void {
  world.upgradeObstacles.set(ref, obstacles);
}

export function setDns(world: World, { name, texts, obeys }: DnsSeed): void {
  world.dns.set(name.toLowerCase(), { texts, obeys });
}
