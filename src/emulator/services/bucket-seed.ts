import { z } from "zod";
import type { World } from "../state/world.ts";

/** Buckets, which no operation makes: what a seed and a control call say of one. */
export const bucketSeed = z.strictObject({
  name: z.string().min(1).max(100),
  public: z.boolean().default(false),
  /** id of the user who made it; default: nobody */
  owner: z.string().default(""),
});
export type BucketSeed = z.output<typeof bucketSeed>;

/** Makes a bucket; one of its name is changed. */
export function putBucket(world: World, ref: string, bucket: BucketSeed): void {
  const nowMs = world.clock.now();
  const { createdAtMs = nowMs } = world.buckets.get(ref, bucket.name) ?? {};
  world.buckets.set(ref, bucket.name, { ...bucket, createdAtMs, updatedAtMs: nowMs });
}
