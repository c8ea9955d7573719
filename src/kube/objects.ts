import { z } from "zod";
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import { apiVersionOf, kubeObjectSchema } from "../resources/meta.ts";
import { KubeError } from "./errors.ts";

/** Asks the apiserver for one object, a list, or (through a watch) events of objects, with metadata alone. */
export const metadataOnlyAccept = {
  object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
} as const;

const anyObjectSchema = z.record(z.string(), z.unknown());

/** An object as read from an answer, or why it cannot be read. */
export type ParsedObject =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly problem: string; readonly name: string | undefined };

/**
 * Reads an object of `type`. Lists leave out the apiVersion and kind of their items, and PartialObjectMetadata is called so itself: both
 * get the type's.
 */
export function parseObject(type: ResourceType, value: unknown): ParsedObject {
  const parsed = kubeObjectSchema.safeParse({
    ...anyObjectSchema.safeParse(value).data,
    apiVersion: apiVersionOf(type),
    kind: type.kind,
  });
  if (parsed.success) return { ok: true, object: parsed.data };
  const [issue] = parsed.error.issues;
  const problem = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unreadable"}`;
  return { ok: false, problem, name: nameSchema.safeParse(value).data?.metadata.name };
}

const nameSchema = z.object({ metadata: z.object({ name: z.string() }) });

/** As parseObject, for an answer that must be one object: anything else is an `UnexpectedResponse` that names the type and the field. */
export function requireObject(type: ResourceType, value: unknown): KubeObject {
  const parsed = parseObject(type, value);
  if (parsed.ok) return parsed.object;
  throw new KubeError("UnexpectedResponse", `not a ${type.kind}: ${parsed.problem}`, {
    status: 200,
    effect: "unknown",
  });
}

export const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string().min(1), continue: z.string().optional() }),
  items: z
    .array(z.unknown())
    .nullish()
    .transform((items) => items ?? []),
});

/** An APIResourceList, as far as it is read: what the apiserver offers of a group, and what may be done with each. */
export const discoverySchema = z.object({
  resources: z.array(z.object({ name: z.string(), verbs: z.array(z.string()).default([]) })),
});

const versionSchema = z.object({ metadata: z.object({ resourceVersion: z.string().min(1) }) });

/** The resourceVersion of anything that has one. */
export function versionOf(value: unknown): string | undefined {
  return versionSchema.safeParse(value).data?.metadata.resourceVersion;
}
