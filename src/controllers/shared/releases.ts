import { createHash } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { errorFields } from "../../base/error-facts.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Meter } from "../../base/meter.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isKubeError, type KubeError } from "../../kube/errors.ts";
import { isDuration } from "../../resources/duration.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { DEFAULT_DELETION_TIMEOUT } from "../../resources/policies.ts";
import { kubeTime } from "./conditions.ts";
import { configMapType, namespaceType } from "./core-types.ts";
import { readConfigMap, readIfExists } from "./core-objects.ts";
import type { DeletionTimes } from "./deletion-times.ts";
import type { EventSink } from "./event-sink.ts";
import { waiting } from "./failures.ts";
import { FIELD_MANAGER } from "./finalizers.ts";
import { objectNameOf } from "./ownership.ts";
import { pollDelayMs } from "./polling.ts";

/** Name of the ConfigMap, in the operator's namespace, that lists what was left remotely, on purpose or not. */
export const RELEASES_NAME = "baas-operator-released";

/** Why something could not be deleted: few words, for the metric. */
export const releaseCauses = ["NoCredential", "DeletionTimeout", "ByHand", "Unconfirmed"] as const;

/** What stays remotely while its object goes. */
export interface Release {
  readonly object: KubeObject;
  /** each that stays, as "project abcdefghijklmnopqrst" */
  readonly remotes: readonly string[];
  readonly cause: (typeof releaseCauses)[number];
  readonly message: string;
}

/** Something that is kept remotely on purpose while its object goes. */
export interface KeptRemote {
  /** as one of `Release.remotes` */
  readonly remote: string;
  /** what a new object says to take it over again, as "spec.ref: abcdefghijklmnopqrst" */
  readonly adopt: string;
}

/**
 * How many lines the ConfigMap keeps, how many bytes these and their keys may have together, and how long a text in one may be: an object of the apiserver
 * holds 1 MiB, and a deletion must not wait for room.
 */
const MOST_LINES = 800;
const MOST_BYTES = 786_432;
const LONGEST_TEXT = 512;

/** The cause, in the ConfigMap alone, of what is kept on purpose. */
export const RETAINED = "Retained";

/** What is kept remotely on purpose while its object goes. */
interface Retention extends Pick<Release, "object"> {
  readonly kept: readonly KeptRemote[];
  /** what is lost where the namespace goes as well, and the way back */
  readonly lostWithNamespace?: string | undefined;
}

interface ReleaseEntry extends Pick<Release, "message">, Pick<KeptRemote, "remote"> {
  readonly cause: Release["cause"] | typeof RETAINED;
  readonly kind: string;
  /** namespace/name */
  readonly object: string;
}

interface ReleaseOptions {
  readonly kube: KubeClient;
  readonly events: EventSink;
  /** the operator's own namespace */
  readonly namespace: string;
  readonly deletions: DeletionTimes;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: Meter;
}

const timeoutSchema = z.object({ spec: z.object({ deletionTimeout: z.string().refine(isDuration) }) });

/** Of an object whose spec cannot be read: as if it did not say. */
function timeoutOf(object: KubeObject): string {
  const parsed = timeoutSchema.safeParse(object);
  return parsed.success ? parsed.data.spec.deletionTimeout : DEFAULT_DELETION_TIMEOUT;
}

/** A namespace that is being deleted takes nothing new ever again. */
function isForGood({ causes }: KubeError): boolean {
  return causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/**
 * Tells what was let go with something left remotely, where it outlives the object and its namespace (engine.md §5): a Warning event in
 * `default` about the Namespace, a line in a ConfigMap of the operator, a log line and a counter. While the ConfigMap does not take the line, which is told
 * as well, the object waits until `deletionTimeout`, and no longer: then the event and the log are all that tells.
 */
export class Releases {
  readonly #options: ReleaseOptions;
  readonly #total: Counter;
  readonly #failures: Counter;

  constructor(options: ReleaseOptions) {
    this.#options = options;
    this.#total = options.meter.counter({
      name: "baas_released_total",
      help: "Objects that were let go with something left remotely",
      labels: ["kind", "cause"],
    });
    this.#failures = options.meter.counter({
      name: "baas_release_failures_total",
      help: "Attempts to list what stays remotely that the ConfigMap did not take",
      labels: ["kind"],
    });
  }

  /**
   * All of it is listed before any of it is told: what waits for room in the list tells and counts nothing each time.
   *
   * @throws WaitingError DeletionBlocked while it cannot be listed
   */
  async record({ object, remotes, cause, message }: Release, signal: AbortSignal): Promise<void> {
    const { events, log } = this.#options;
    const { kind, metadata } = object;
    const { namespace, name } = metadata;
    const named = objectNameOf(metadata);
    const listed: { readonly remote: string; readonly failure: string }[] = [];
    for (const remote of remotes) {
      const failure = await this.#list(object, { object: named, kind, remote, cause, message }, signal);
      listed.push({ remote, failure });
    }
    const regarding = (await this.#namespaceOf(object, signal)) ?? object;
    for (const { remote, failure } of listed) {
      const note = `${kind} ${named} was let go and ${remote} stays: ${message}${failure}`;
      const instead = this.#restOf("let go", failure);
      events.event({ regarding, type: "Warning", reason: "Released", action: "Delete", note, instead });
      this.#total.increment({ kind, cause });
      log.warn({ kind, namespace, name, remote, cause }, "released");
    }
  }

  /**
   * Tells what is kept on purpose: a line in the ConfigMap and in the log, and where the namespace goes, which takes no events any more, a Normal event about
   * that; a Warning wherever it could not be listed. It is none of what an alert counts. All of it is listed before any of it is told.
   *
   * @throws WaitingError DeletionBlocked while it cannot be listed
   */
  async retain({ object, kept, lostWithNamespace }: Retention, signal: AbortSignal): Promise<void> {
    const { kind, metadata } = object;
    const name = objectNameOf(metadata);
    const namespace = await this.#namespaceOf(object, signal);
    const isLost = lostWithNamespace !== undefined && namespace?.metadata.deletionTimestamp !== undefined;
    const lost = isLost ? `; ${lostWithNamespace}` : "";
    const listed: (KeptRemote & { readonly message: string; readonly failure: string })[] = [];
    for (const one of kept) {
      const message = `deletionPolicy kept it: a ${kind} takes it over again with ${one.adopt}${lost}`;
      const entry = { object: name, kind, remote: one.remote, cause: RETAINED, message } as const;
      listed.push({ ...one, message, failure: await this.#list(object, entry, signal) });
    }
    for (const one of listed) this.#tellKept(object, namespace, one);
  }

  #tellKept(
    object: KubeObject,
    namespace: KubeObject | undefined,
    { remote, adopt, message, failure }: KeptRemote & { readonly message: string; readonly failure: string },
  ): void {
    const { events, log } = this.#options;
    const { kind, metadata } = object;
    if (failure !== "" || namespace?.metadata.deletionTimestamp !== undefined) {
      const note = `${kind} ${objectNameOf(metadata)} was deleted and ${remote} stays: ${message}${failure}`;
      const type = failure === "" ? "Normal" : "Warning";
      const instead = this.#restOf("kept", failure);
      events.event({ regarding: namespace ?? object, type, reason: "Retained", action: "Delete", note, instead });
    }
    log.info({ kind, namespace: metadata.namespace, name: metadata.name, remote, adopt }, "retained");
  }

  /** In the place of those of a namespace that there would be too many events of. */
  #restOf(what: string, failure: string): string {
    const place = failure === "" ? `ConfigMap ${this.#options.namespace}/${RELEASES_NAME}` : "operator's log";
    return `more of this namespace was ${what} than is told one by one: the ${place} lists what stays`;
  }

  /** What cannot be read keeps no deletion from ending: the event is about the object itself then. */
  async #namespaceOf({ metadata: { namespace } }: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
    if (namespace === undefined) return undefined;
    try {
      return await readIfExists(this.#options.kube, namespaceType, { namespace: "", name: namespace }, signal);
    } catch (error) {
      if (signal.aborted || !isKubeError(error) || error.code === "NotLeader") throw error;
      return undefined;
    }
  }

  /** @returns what is to be said of a line that could not be written, and never will be; empty where it was */
  async #list(object: KubeObject, entry: ReleaseEntry, signal: AbortSignal): Promise<string> {
    try {
      await this.#write(entry, signal);
      return "";
    } catch (error) {
      if (signal.aborted || !isKubeError(error) || error.code === "NotLeader") throw error;
      return this.#unlisted(object, { entry, error, signal });
    }
  }

  /** @throws WaitingError DeletionBlocked while it may still be listed in time */
  async #unlisted(
    object: KubeObject,
    { entry, error, signal }: { readonly entry: ReleaseEntry; readonly error: KubeError; readonly signal: AbortSignal },
  ): Promise<string> {
    const { namespace: own, deletions, events, log } = this.#options;
    const { kind, metadata } = object;
    const { remote, cause } = entry;
    this.#failures.increment({ kind });
    const { namespace, name } = metadata;
    log.warn({ ...errorFields(error), kind, namespace, name, remote, cause }, "what stays could not be listed");
    const why = `the ConfigMap ${own}/${RELEASES_NAME} cannot list it: ${error.message}`;
    const timeout = timeoutOf(object);
    const leftMs = deletions.leftMs(metadata, timeout);
    if (leftMs <= 0 || isForGood(error)) return `; ${why}`;
    const message = `${remote} stays, and ${why}. Put that right; after deletionTimeout ${timeout} the object goes unlisted`;
    const regarding = (await this.#namespaceOf(object, signal)) ?? object;
    // The same for all of a namespace: one event, which counts.
    const note = `what stays of objects that are being deleted is not listed yet: ${why}`;
    events.event({ regarding, type: "Warning", reason: "DeletionBlocked", action: "Delete", note });
    throw waiting("DeletionBlocked", message, Math.min(leftMs, pollDelayMs(deletions.elapsedMs(metadata))));
  }

  async #write(entry: ReleaseEntry, signal: AbortSignal): Promise<void> {
    const { kube, namespace, clock } = this.#options;
    const { kind, object, remote, cause, message } = entry;
    const key = createHash("sha256").update(`${kind} ${object} ${remote}`).digest("hex").slice(0, 32);
    const time = kubeTime(clock.now());
    const line = {
      object,
      kind,
      remote: remote.slice(0, LONGEST_TEXT).toWellFormed(),
      cause,
      message: message.slice(0, LONGEST_TEXT).toWellFormed(),
      time,
    };
    const text = JSON.stringify(line);
    const data = { [key]: text };
    const place = { namespace, name: RELEASES_NAME };
    const write = { fieldManager: FIELD_MANAGER, signal };
    const existing = await readConfigMap(kube, place, signal);
    if (existing === undefined) {
      try {
        await kube.create(configMapType, { apiVersion: "v1", kind: "ConfigMap", metadata: place, data }, write);
        return;
      } catch (error) {
        if (!isKubeError(error, "AlreadyExists")) throw error; // else another run was faster, and the line is added to its
      }
    }
    const room = { lines: MOST_LINES - 1, bytes: MOST_BYTES - bytesOf(key, text) };
    const forgotten = surplus(existing?.data ?? {}, room).map((old) => [old, null] as const);
    await kube.patchMerge(configMapType, place, { data: { ...Object.fromEntries(forgotten), ...data } }, write);
  }
}

const lineSchema = z.object({ time: z.string(), cause: z.string().optional() });

/** Order in which lines are dropped: first those that somebody wrote by hand, then what was kept on purpose, then all others; each by time. */
function rankOf(line: string): string {
  try {
    const { time, cause } = lineSchema.parse(JSON.parse(line));
    return cause === RETAINED ? `1 ${time}` : `2 ${time}`;
  } catch {
    return "0";
  }
}

/** What a line and its key need, bytes. */
function bytesOf(key: string, line: string): number {
  return Buffer.byteLength(key) + Buffer.byteLength(line);
}

/** Keys of the oldest lines, beyond the newest that there is room for. What could not be deleted stays longer than what was not to be. */
export function surplus(
  lines: Readonly<Record<string, string>>,
  room: { readonly lines: number; readonly bytes: number },
): readonly string[] {
  const ranked = Object.entries(lines).map(([key, line]) => ({ key, bytes: bytesOf(key, line), rank: rankOf(line) }));
  const newestFirst = ranked.toSorted((a, b) => (a.rank < b.rank ? 1 : -1));
  let bytes = 0;
  const goes = newestFirst.filter((line, index) => {
    bytes += line.bytes;
    return index >= room.lines || bytes > room.bytes;
  });
  return goes.map(({ key }) => key).toReversed();
}
