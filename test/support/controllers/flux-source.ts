import { type FluxKind, type FluxState, FLUX_PLURALS, fluxStatus } from "../artifacts/flux.ts";
import { type Life, NAMESPACE, type Theatre } from "./life.ts";

interface FluxObject {
  readonly kind: FluxKind;
  readonly name: string;
  readonly state: FluxState;
}

/** Applies a source object of Flux with a status, as the source-controller leaves it. */
export async function putFluxSource(
  { kubernetes }: Theatre,
  { environment: { kube } }: Life,
  { kind, name, state }: FluxObject,
): Promise<void> {
  const plural = FLUX_PLURALS[kind];
  const metadata = { name, namespace: NAMESPACE };
  kubernetes.put(plural, { apiVersion: "source.toolkit.fluxcd.io/v1", kind, metadata, spec: {} });
  const type = { group: "source.toolkit.fluxcd.io", version: "v1", kind, plural, namespaced: true };
  const options = { subresource: "status", signal: new AbortController().signal } as const;
  const status = { conditions: null, artifact: null, ...fluxStatus(state) };
  await kube.patchMerge(type, { namespace: NAMESPACE, name }, { status }, options);
}
