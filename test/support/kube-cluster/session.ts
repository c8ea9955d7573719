/**
 * test/support/kube-cluster: what tests of src/kube need against a real apiserver: a client of ours on a real clock, a namespace of their
 * own, and a custom kind that means nothing.
 */
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { Logger } from "../../../src/base/log.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import type { KubeClient, WriteObserver } from "../../../src/kube/client.ts";
import { createKubeClient } from "../../../src/kube/client-requests.ts";
import { isKubeError } from "../../../src/kube/errors.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import type { ResourceType } from "../../../src/resources/meta.ts";

export const configMapType: ResourceType = core("ConfigMap", "configmaps", true);
export const secretType: ResourceType = core("Secret", "secrets", true);
export const namespaceType: ResourceType = core("Namespace", "namespaces", false);

function core(kind: string, plural: string, namespaced: boolean): ResourceType {
  return { group: "", version: "v1", kind, plural, namespaced };
}

interface SessionOptions {
  readonly observer?: WriteObserver;
  readonly log?: Logger;
}

/** A client of the cluster; its connections end with the test. */
export function clientOf(cluster: { readonly kubeconfigPath: string }, options: SessionOptions = {}): KubeClient {
  const { log = silentLogger, observer } = options;
  const transport = createKubeTransport({
    kubeConfig: { kind: "file", path: cluster.kubeconfigPath },
    clock: systemClock,
    log,
    meter: silentMeter,
  });
  onTestFinished(() => transport.close());
  const rest = { clock: systemClock, random: () => 0.5, log };
  return createKubeClient({ transport, ...rest, ...(observer === undefined ? {} : { observer }) });
}

/** Makes a namespace that nobody else uses; it is deleted after the test. */
export async function ownNamespace(client: KubeClient): Promise<string> {
  const name = `kube-${randomBytes(5).toString("hex")}`;
  await client.create(namespaceType, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  onTestFinished(async () => {
    await client.delete(namespaceType, { namespace: "", name });
  });
  return name;
}

/** A ConfigMap to be created. */
export function configMap(namespace: string, name: string, data: Readonly<Record<string, string>> = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

const crdType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** A custom kind with a status subresource, `spec.size` from 1 to 5, and pruning. */
export interface CustomKind {
  readonly type: ResourceType;
  /** Defines it, and resolves once the apiserver serves it. */
  readonly define: () => Promise<void>;
  /** Takes it away again with all its objects, and resolves once it is gone. */
  readonly remove: () => Promise<void>;
}

/** A kind of its own group, so that tests do not meet; it is removed after the test. */
export function customKind(client: KubeClient): CustomKind {
  const group = `${randomBytes(5).toString("hex").replace(/^./, "g")}.example.dev`;
  const type: ResourceType = { group, version: "v1", kind: "Gadget", plural: "gadgets", namespaced: true };
  const name = `gadgets.${group}`;
  const id = { namespace: "", name };
  const remove = async (): Promise<void> => {
    await until("absent", () => client.delete(crdType, id));
  };
  onTestFinished(remove);
  return {
    type,
    define: async () => {
      await client.create(crdType, definition(group, name));
      // Established is not yet served: the apiserver answers 404 for a moment longer.
      await until("there", () => client.listPage(type, {}));
    },
    remove,
  };
}

/** Asks again and again until the answer is the one that is awaited. */
async function until(expected: "there" | "absent", ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const answer = await ask().then(
      () => "there",
      (error: unknown) => {
        if (isKubeError(error, "NotFound")) return "absent";
        throw error;
      },
    );
    if (answer === expected) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function definition(group: string, name: string) {
  const size = { type: "integer", minimum: 1, maximum: 5 };
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { size } },
        status: { type: "object", properties: { phase: { type: "string" } } },
      },
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      names: { kind: "Gadget", plural: "gadgets", singular: "gadget", listKind: "GadgetList" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}
