import type { ResourceType } from "../../../src/resources/meta.ts";
import { FLUX_PLURALS, fluxStatus, READY } from "../artifacts/flux.ts";
import { type Edition, publishedFiles, REPOSITORY } from "./specs.ts";
import type { World } from "./world.ts";

/** What Flux has of a family: a GitRepository, of which its source-controller publishes artifacts. */

const type: ResourceType = {
  group: "source.toolkit.fluxcd.io",
  version: "v1",
  kind: "GitRepository",
  plural: FLUX_PLURALS.GitRepository,
  namespaced: true,
};

export async function createRepository(world: World, namespace: string): Promise<void> {
  const { group, version, kind } = type;
  const metadata = { name: REPOSITORY, namespace };
  await world.kube.create(type, { apiVersion: `${group}/${version}`, kind, metadata, spec: { interval: "1m" } });
  await publish(world, namespace, "first");
}

export async function publish(world: World, namespace: string, edition: Edition): Promise<void> {
  const artifact = world.publish(namespace, publishedFiles(edition));
  const status = fluxStatus({ artifact, ready: READY });
  await world.kube.patchMerge(type, { namespace, name: REPOSITORY }, { status }, { subresource: "status" });
}
