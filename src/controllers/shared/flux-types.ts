import { z } from "zod";
import type { StoreReader } from "../../kube/store.ts";
import type { Transform } from "../../kube/transform.ts";
import { withoutNoise } from "../../kube/transform.ts";
import { fluxApiVersion, type FluxSourceKind, fluxSourceKinds } from "../../resources/edge-function/artifact.ts";
import type { KubeObject, ResourceType } from "../../resources/meta.ts";

/** Sources of Flux, as far as we read them: whether they are Ready, and where their artifact is. A cluster without Flux has none of the kinds. */

const plurals: Readonly<Record<FluxSourceKind, string>> = {
  GitRepository: "gitrepositories",
  OCIRepository: "ocirepositories",
  Bucket: "buckets",
  ExternalArtifact: "externalartifacts",
};

const [group = "", version = ""] = fluxApiVersion.split("/");

export const fluxSourceTypes: readonly ResourceType[] = fluxSourceKinds.map((kind) => ({
  group,
  version,
  kind,
  plural: plurals[kind],
  namespaced: true,
}));

const artifactSchema = z.object({
  url: z.string(),
  digest: z.string(),
  revision: z.string(),
  size: z.number().int().min(0).optional(),
});
export type FluxArtifact = Readonly<z.output<typeof artifactSchema>>;

const conditionSchema = z.object({ type: z.string(), status: z.string(), reason: z.string().default("") });

const statusSchema = z.object({
  conditions: z.array(conditionSchema).catch([]),
  artifact: artifactSchema.optional().catch(undefined),
});

/** A source object of Flux. */
export interface FluxSource {
  /** status of its condition Ready; undefined where it has none, as an ExternalArtifact need not */
  readonly ready: { readonly status: string; readonly reason: string } | undefined;
  readonly artifact: FluxArtifact | undefined;
}

function readFluxSource({ status }: KubeObject): FluxSource {
  const { conditions, artifact } = statusSchema.parse(status ?? {});
  const ready = conditions.find(({ type }) => type === "Ready");
  return { ready: ready && { status: ready.status, reason: ready.reason }, artifact };
}

/** Keeps of a source object what `readFluxSource` reads. */
export const fluxSourceAlone: Transform = (object) => {
  const { apiVersion, kind, metadata } = withoutNoise(object);
  const { ready, artifact } = readFluxSource(object);
  const conditions = ready === undefined ? [] : [{ type: "Ready", ...ready }];
  return { apiVersion, kind, metadata, status: { conditions, ...(artifact === undefined ? {} : { artifact }) } };
};

/** Whether a source object tells anything else now; Flux writes its status more often than that. */
export function fluxSourceChanged(before: KubeObject, now: KubeObject): boolean {
  return JSON.stringify(readFluxSource(before)) !== JSON.stringify(readFluxSource(now));
}

interface FluxObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The source object of that name; undefined where there is none, or no such kind in the cluster. */
export function findFluxSource(
  stores: readonly Pick<StoreReader, "type" | "get">[],
  { kind, namespace, name }: FluxObjectName,
): FluxSource | undefined {
  const object = stores.find(({ type }) => type.kind === kind)?.get(namespace, name);
  return object === undefined ? undefined : readFluxSource(object);
}

/** `GitRepository ns/name`: names a source object in an index. */
export function fluxPlace({ kind, namespace, name }: FluxObjectName): string {
  return `${kind} ${namespace}/${name}`;
}
