import { z } from "zod";
import { kinds } from "./family.ts";
import type { World } from "./world.ts";

export const seenSchema = z.looseObject({
  kind: z.string(),
  metadata: z
    .looseObject({
      name: z.string(),
      namespace: z.string().optional(),
      uid: z.string(),
      generation: z.number().default(0),
      deletionTimestamp: z.string().optional(),
      annotations: z.record(z.string(), z.string()).default({}),
      finalizers: z.array(z.string()).default([]),
    })
    // What is of no namespace is called as the family that it belongs to.
    .transform((metadata) => ({ ...metadata, namespace: metadata.namespace ?? metadata.name })),
  status: z
    .looseObject({
      ref: z.string().optional(),
      intent: z.unknown().optional(),
      redeployment: z.unknown().optional(),
      environment: z.unknown().optional(),
      lastHandledReconcileAt: z.string().optional(),
      conditions: z
        .array(
          z.looseObject({
            type: z.string(),
            status: z.string(),
            reason: z.string(),
            message: z.string(),
            observedGeneration: z.number().optional(),
          }),
        )
        .default([]),
    })
    .default({ conditions: [] }),
});
/** An object as the cluster has it. */
export type Seen = z.output<typeof seenSchema>;

/** Every object of ours in the cluster. */
export async function look({ kube }: Pick<World, "kube">): Promise<readonly Seen[]> {
  const lists = await Promise.all(kinds.map((type) => kube.listPage(type, { limit: 0 })));
  return lists.flatMap(({ items }) => items.map((item) => seenSchema.parse(item)));
}

export function isReady({ metadata, status }: Seen): boolean {
  return status.conditions.some(
    ({ type, status: value, observedGeneration }) =>
      type === "Ready" && value === "True" && observedGeneration === metadata.generation,
  );
}

/** Reason of its being stalled. */
export function stalledFor({ status }: Seen): string | undefined {
  return status.conditions.find(({ type, status: value }) => type === "Stalled" && value === "True")?.reason;
}
