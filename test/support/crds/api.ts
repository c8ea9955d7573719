import { Agent, request } from "undici";
import { z } from "zod";
import type { ControlPlane } from "../control-plane/control-plane.ts";
import type { KindName, Manifest } from "./manifest.ts";
import { plurals } from "./manifest.ts";

/**
 * test/support/crds: manifests of our kinds, good and bad, and how a real apiserver takes them. What a controller makes of them is not asked
 * here.
 */

/** What the apiserver answered, warnings included. */
export interface Answer {
  readonly status: number;
  /** The texts of its Warning headers. */
  readonly warnings: readonly string[];
  /** The message of a Status, "" for an object. */
  readonly message: string;
  readonly object: Stored;
}

const storedSchema = z.looseObject({
  kind: z.string().optional(),
  message: z.string().optional(),
  metadata: z.looseObject({ generation: z.number().optional(), resourceVersion: z.string().optional() }).optional(),
  spec: z.record(z.string(), z.unknown()).optional(),
  status: z.unknown().optional(),
});
export type Stored = z.infer<typeof storedSchema>;

interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly contentType?: string;
}

/** Plain requests for objects of our kinds, exactly as written: no client library that defaults, validates or retries. */
export class CustomObjects implements AsyncDisposable {
  readonly #agent: Agent;
  readonly #plane: Pick<ControlPlane, "server" | "token">;

  constructor(plane: Pick<ControlPlane, "server" | "token" | "ca">) {
    this.#plane = plane;
    this.#agent = new Agent({ connect: { ca: plane.ca } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.close();
  }

  /** Creates an object by a POST without any query, as a program without a library would. */
  create(manifest: Manifest): Promise<Answer> {
    return this.#call(this.#collection(manifest), { method: "POST", body: manifest });
  }

  /** Asks whether an object would be accepted, without creating it. */
  tryCreate(manifest: Manifest): Promise<Answer> {
    return this.#call(`${this.#collection(manifest)}?dryRun=All`, { method: "POST", body: manifest });
  }

  get(manifest: Manifest): Promise<Answer> {
    return this.#call(this.#item(manifest), { method: "GET" });
  }

  delete(manifest: Manifest): Promise<Answer> {
    return this.#call(this.#item(manifest), { method: "DELETE" });
  }

  /** Replaces the whole object (PUT), at its newest resourceVersion. */
  async replace(manifest: Manifest): Promise<Answer> {
    const { object } = await this.get(manifest);
    const metadata = { ...manifest.metadata, resourceVersion: object.metadata?.resourceVersion };
    return this.#call(this.#item(manifest), { method: "PUT", body: { ...manifest, metadata } });
  }

  /** Merges a patch into the object, or into its status. */
  merge(manifest: Manifest, patch: unknown, subresource?: "status"): Promise<Answer> {
    const path = this.#item(manifest) + (subresource === undefined ? "" : `/${subresource}`);
    return this.#call(path, { method: "PATCH", body: patch, contentType: "application/merge-patch+json" });
  }

  #collection({ kind, metadata }: Pick<Manifest, "kind" | "metadata">): string {
    const plural = plurals[kind satisfies KindName];
    const scope = metadata.namespace === undefined ? "" : `/namespaces/${metadata.namespace}`;
    return `/apis/baas.dev/v1alpha1${scope}/${plural}`;
  }

  #item(manifest: Pick<Manifest, "kind" | "metadata">): string {
    return `${this.#collection(manifest)}/${manifest.metadata.name}`;
  }

  async #call(path: string, { method, body, contentType = "application/json" }: Call): Promise<Answer> {
    const response = await request(`${this.#plane.server}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#plane.token}`, "content-type": contentType },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const object = storedSchema.parse(await response.body.json());
    const warnings = [response.headers["warning"] ?? []].flat();
    return { status: response.statusCode, warnings, message: object.message ?? "", object };
  }
}
