import { z } from "zod";
import { kinds } from "../src/resources/kinds.ts";
import { conditionSchema } from "../src/resources/meta.ts";
import type { Target } from "../test/support/programs/kubectl.ts";
import { kubectl } from "../test/support/programs/kubectl.ts";
import { succeeded } from "../test/support/programs/run.ts";

const objectSchema = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), creationTimestamp: z.string(), generation: z.number().default(0) }),
  status: z
    .object({ conditions: z.array(conditionSchema).default([]), observedGeneration: z.number().default(-1) })
    .default({ conditions: [], observedGeneration: -1 }),
});
const listSchema = z.object({ items: z.array(objectSchema) });

/** One object of ours, as the table shows it. */
export interface Shown {
  readonly name: string;
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
  readonly settled: boolean;
  readonly createdMs: number;
}

const plurals = kinds.map(({ type }) => `${type.plural}.${type.group}`).join(",");

/** Our objects of a namespace, in the order of their kinds. */
export async function readObjects(target: Target, namespace: string): Promise<readonly Shown[]> {
  const text = succeeded(await kubectl(target, ["get", plurals, "--namespace", namespace, "--output=json"]));
  const { items } = listSchema.parse(JSON.parse(text));
  return items.map(({ kind, metadata, status }) => {
    const ready = status.conditions.find(({ type }) => type === "Ready");
    return {
      name: `${kind}/${metadata.name}`,
      ready: ready?.status ?? "",
      reason: ready?.reason ?? "",
      message: ready?.message ?? "",
      settled: ready?.status === "True" && status.observedGeneration === metadata.generation,
      createdMs: Date.parse(metadata.creationTimestamp),
    };
  });
}

export function tableOf(objects: readonly Shown[], nowMs: number): readonly (readonly string[])[] {
  const rows = objects.map(({ name, ready, reason, createdMs }) => [
    name,
    ready === "" ? "-" : ready,
    reason === "" ? "Pending" : reason,
    `${Math.max(0, Math.round((nowMs - createdMs) / 1000))}s`,
  ]);
  return [["OBJECT", "READY", "REASON", "AGE"], ...rows];
}
