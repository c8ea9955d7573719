import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Meter } from "../../base/meter.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { kubeTime } from "./conditions.ts";
import { configMapType, namespaceType } from "./core-types.ts";
import { readIfExists } from "./core-objects.ts";
import type { EventSink } from "./event-sink.ts";
import { FIELD_MANAGER } from "./finalizers.ts";

/** Name of the ConfigMap, in the operator's namespace, that lists what was left remotely. */
export const RELEASES_NAME = "baas-operator-released";

/** Something that stays remotely while its object goes. */
export interface Release {
  readonly object: KubeObject;
  /** what stays, as "project abcdefghijklmnopqrst" */
  readonly remote: string;
  /** why it could not be deleted; one of few words, for the metric */
  readonly cause: "NoCredential" | "DeletionTimeout" | "ByHand";
  readonly message: string;
}

interface Options {
  readonly kube: KubeClient;
  readonly events: EventSink;
  /** the operator's own namespace */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: Meter;
}

/**
 * Tells what was let go with something left remotely, where it outlives the object and its namespace (engine.md §5): a Warning event in
 * `default` about the Namespace, a line in a ConfigMap of the operator, a log line and a counter.
 */
export class Releases {
  readonly #options: Options;
  readonly #total: Counter;

  constructor(options: Options) {
    this.#options = options;
    this.#total = options.meter.counter({
      name: "baas_released_total",
      help: "Objects that were let go with something left remotely.",
      labels: ["kind", "cause"],
    });
  }

  async record({ object, remote, cause, message }: Release, signal: AbortSignal): Promise<void> {
    const { kind, metadata } = object;
    const name = `${metadata.namespace ?? ""}/${metadata.name}`;
    const note = `${kind} ${name} was let go and ${remote} stays: ${message}`;
    await this.#write(`${kind} ${name}`, { object: name, kind, remote, cause, message }, signal);
    await this.#event(object, note, signal);
    this.#total.increment({ kind, cause });
    this.#options.log.warn({ kind, namespace: metadata.namespace, name: metadata.name, remote, cause }, "released");
  }

  async #event(object: KubeObject, note: string, signal: AbortSignal): Promise<void> {
    const { kube, events } = this.#options;
    const { namespace } = object.metadata;
    const regarding =
      namespace === undefined
        ? object
        : ((await readIfExists(kube, namespaceType, { namespace: "", name: namespace }, signal)) ?? object);
    events.event({ regarding, type: "Warning", reason: "Released", action: "Delete", note });
  }

  async #write(subject: string, entry: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const { kube, namespace, clock } = this.#options;
    const key = createHash("sha256")
      .update(`${subject} ${entry["remote"] ?? ""}`)
      .digest("hex")
      .slice(0, 32);
    const data = { [key]: JSON.stringify({ ...entry, time: kubeTime(clock.now()) }) };
    const place = { namespace, name: RELEASES_NAME };
    const existing = await readIfExists(kube, configMapType, place, signal);
    const write = { fieldManager: FIELD_MANAGER, signal };
    if (existing === undefined) {
      await kube.create(configMapType, { apiVersion: "v1", kind: "ConfigMap", metadata: place, data }, write);
    } else {
      await kube.patchMerge(configMapType, place, { data }, write);
    }
  }
}
