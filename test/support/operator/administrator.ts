import { z } from "zod";
import { finalizers } from "../../../src/resources/annotations.ts";
import type { Target } from "../programs/kubectl.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";

const secretList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ namespace: z.string(), name: z.string(), finalizers: z.array(z.string()).default([]) }),
    }),
  ),
});

/** What whoever installs the operator does by hand with kubectl, and looks at afterwards. */
export class Administrator {
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Runs kubectl. @throws Error with its words when it fails */
  async run(args: readonly string[], stdin = ""): Promise<string> {
    return succeeded(await kubectl(this.#target, args, { stdin }));
  }

  async createNamespaces(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.run(["create", "namespace", name]);
  }

  /** A Secret `platform-token` with the key `token`. */
  async storeToken(namespace: string, token: string): Promise<void> {
    const create = ["create", "secret", "generic", "platform-token", `--from-literal=token=${token}`];
    await this.run(["--namespace", namespace, ...create]);
  }

  async apply(items: readonly unknown[]): Promise<void> {
    await this.run(["apply", "--filename=-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  }

  /** Waits until all objects of these kinds are Ready, in a namespace or in all. */
  async waitReady(kinds: string, namespace?: string): Promise<void> {
    const place = namespace === undefined ? "--all-namespaces" : `--namespace=${namespace}`;
    for (const kind of kinds.split(",")) {
      await this.run(["wait", kind, place, "--all", "--for=condition=Ready", "--timeout=60s"]);
    }
  }

  /** "namespace/name" of the Secrets that carry our finalizer. */
  async protectedSecrets(): Promise<readonly string[]> {
    const { items } = secretList.parse(
      JSON.parse(await this.run(["get", "secrets", "--all-namespaces", "--output=json"])),
    );
    return items
      .filter(({ metadata }) => metadata.finalizers.includes(finalizers.credential))
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  }
}

/** An object of ours. */
export function manifest(kind: string, place: { readonly namespace: string; readonly name: string }, spec: unknown) {
  return { apiVersion: "baas.dev/v1alpha1", kind, metadata: place, spec };
}

/** A Connection `default` with the token that `storeToken` stores. */
export function connection(namespace: string, baseUrl: string) {
  return manifest(
    "Connection",
    { namespace, name: "default" },
    { baseUrl, token: { secretRef: { name: "platform-token" } } },
  );
}
