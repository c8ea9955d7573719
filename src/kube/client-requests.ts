import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import type {
  ApplyOptions,
  DeleteOptions,
  ObjectDeletion,
  KubeClient,
  ListOptions,
  ListPage,
  ObjectDraft,
  PageOptions,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteObserver,
  WriteOptions,
} from "./client.ts";
import { isKubeError, KubeError, parseStatus } from "./errors.ts";
import type { KubeRequest, KubeTransport } from "./exchange.ts";
import type { JsonPatch } from "./json-patch.ts";
import { discoverySchema, listSchema, metadataOnlyAccept, parseObject, requireObject } from "./objects.ts";
import type { ObjectId } from "./resource-path.ts";
import { collectionPath, groupPath, objectPath } from "./resource-path.ts";
import { withRetries } from "./retry.ts";
import { watchEvents } from "./watch.ts";

interface KubeClientOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Told of every result of a write. */
  readonly observer?: WriteObserver;
  /** Asked right before each write goes out; false: it does not, and is a `NotLeader` (engine.md §8 Leases). */
  readonly mayWrite?: () => boolean;
  /** The same of what runs read: objects by name, discovery, and lists. What fills caches, by pages and watches, goes on and writes nothing. */
  readonly mayRead?: () => boolean;
}

const DEFAULT_DEADLINE_MS = 30_000;
const LIST_DEADLINE_MS = 60_000;
const PAGE_SIZE = 500;
/** Largest page of a list that is read. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

const contentTypes = {
  apply: "application/apply-patch+yaml", // JSON is YAML
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
} as const;

/** The client of `options.transport`. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  return new RequestingClient(options);
}

class RequestingClient implements KubeClient {
  readonly #options: KubeClientOptions;

  constructor(options: KubeClientOptions) {
    this.#options = options;
  }

  serverNow(): number | undefined {
    return this.#options.transport.serverNow();
  }

  async get(type: ResourceType, id: ObjectId, options: RequestOptions = {}): Promise<KubeObject> {
    const accept = options.metadataOnly === true ? metadataOnlyAccept.object : undefined;
    return requireObject(type, await this.#send({ method: "GET", path: objectPath(type, id), accept }, options));
  }

  async isWithdrawn(type: ResourceType, options: RequestOptions = {}): Promise<boolean> {
    const path = groupPath(type);
    try {
      const answer = discoverySchema.safeParse(await this.#send({ method: "GET", path }, options));
      if (!answer.success) throw new KubeError("UnexpectedResponse", `${path} is no discovery`, { effect: "none" });
      const offered = answer.data.resources.find(({ name }) => name === type.plural);
      return offered !== undefined && !offered.verbs.includes("create");
    } catch (error) {
      if (isKubeError(error, "NotFound") || isKubeError(error, "Forbidden")) return false;
      throw error;
    }
  }

  async *list(type: ResourceType, options: ListOptions = {}): AsyncGenerator<ListPage, void> {
    let continueToken: string | undefined;
    do {
      const request = listRequest(type, { ...options, ...(continueToken === undefined ? {} : { continueToken }) });
      const page = this.#page(type, await this.#send(request, { deadlineMs: LIST_DEADLINE_MS, ...options }));
      yield page;
      continueToken = page.continueToken;
    } while (continueToken !== undefined);
  }

  async listPage(type: ResourceType, options: PageOptions): Promise<ListPage> {
    const { signal, deadlineMs = LIST_DEADLINE_MS } = options;
    const { body } = await this.#options.transport.request({ ...listRequest(type, options), signal, deadlineMs });
    return this.#page(type, body);
  }

  watch(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent> {
    return watchEvents(this.#options, type, options);
  }

  async create(type: ResourceType, object: ObjectDraft, options: WriteOptions = {}): Promise<KubeObject> {
    const path = collectionPath(type, namespaceFor(type, object));
    return await this.#write(type, { method: "POST", path, body: object }, options);
  }

  async update(type: ResourceType, object: ObjectDraft, options: WriteOptions = {}): Promise<KubeObject> {
    const path = objectPath(type, idOf(type, object), options.subresource);
    return await this.#write(type, { method: "PUT", path, body: object }, options);
  }

  async apply(type: ResourceType, object: ObjectDraft, options: ApplyOptions): Promise<KubeObject> {
    const path = objectPath(type, idOf(type, object), options.subresource);
    const query = { force: options.force ?? true };
    const contentType = contentTypes.apply;
    return await this.#write(type, { method: "PATCH", path, query, contentType, body: object }, options);
  }

  async patchJson(type: ResourceType, id: ObjectId, patch: JsonPatch, options: WriteOptions = {}): Promise<KubeObject> {
    const path = objectPath(type, id, options.subresource);
    const contentType = contentTypes.json;
    try {
      return await this.#write(type, { method: "PATCH", path, contentType, body: patch }, options);
    } catch (error) {
      throw notAsItWas(error);
    }
  }

  async patchMerge(type: ResourceType, id: ObjectId, patch: object, options: WriteOptions = {}): Promise<KubeObject> {
    const path = objectPath(type, id, options.subresource);
    const contentType = contentTypes.merge;
    return await this.#write(type, { method: "PATCH", path, contentType, body: patch }, options);
  }

  async delete(type: ResourceType, id: ObjectId, options: DeleteOptions = {}): Promise<ObjectDeletion> {
    const { preconditions, propagationPolicy } = options;
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy };
    const answer = await this.#send({ method: "DELETE", path: objectPath(type, id), body }, options);
    const status = parseStatus(answer);
    const object = status === undefined ? requireObject(type, answer) : undefined;
    if (object?.metadata.deletionTimestamp === undefined) {
      this.#options.observer?.deleted(type, id, object?.metadata.uid ?? status?.details?.uid);
      return { gone: true };
    }
    this.#tell(type, object, false);
    return { gone: false, object };
  }

  async #write(type: ResourceType, request: KubeRequest, options: WriteOptions): Promise<KubeObject> {
    const partial = options.metadataOnly === true;
    const accept = partial ? metadataOnlyAccept.object : undefined;
    const query = { ...request.query, fieldManager: options.fieldManager };
    const object = requireObject(type, await this.#send({ ...request, query, accept }, options));
    this.#tell(type, object, partial);
    return object;
  }

  async #send(request: KubeRequest, options: RequestOptions): Promise<unknown> {
    const { transport, clock, random } = this.#options;
    const { signal, deadlineMs = DEFAULT_DEADLINE_MS } = options;
    const read = request.method === "GET";
    const beforeSend = (): void => this.#requireLeadership(request);
    const attempt = async (leftMs: number): Promise<unknown> => {
      const { body } = await transport.request({ ...request, signal, beforeSend, deadlineMs: leftMs });
      return body;
    };
    return await withRetries(attempt, { read, deadlineMs, signal, clock, random });
  }

  #requireLeadership({ method, path }: KubeRequest): void {
    const { mayRead, mayWrite } = this.#options;
    if ((method === "GET" ? mayRead : mayWrite)?.() === false) {
      throw new KubeError("NotLeader", `${method} ${path} was not sent: this process does not lead`, {
        effect: "none",
      });
    }
  }

  /** An object that waits for nothing any more is deleted by the very write that removed its last finalizer. */
  #tell(type: ResourceType, object: KubeObject, partial: boolean): void {
    const {
      namespace = "",
      name,
      uid,
      deletionTimestamp,
      deletionGracePeriodSeconds = 0,
      finalizers,
    } = object.metadata;
    const waits = deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || (finalizers ?? []).length > 0;
    // A Namespace waits for its own spec.finalizers, which are written through another subresource.
    if (waits || type.kind === "Namespace") this.#options.observer?.written(type, object, partial);
    else this.#options.observer?.deleted(type, { namespace, name }, uid);
  }

  #page(type: ResourceType, body: unknown): ListPage {
    const list = listSchema.safeParse(body);
    if (!list.success) {
      throw new KubeError("UnexpectedResponse", `not a list of ${type.plural}`, { status: 200, effect: "none" });
    }
    const items: KubeObject[] = [];
    for (const item of list.data.items) {
      const parsed = parseObject(type, item);
      if (parsed.ok) items.push(parsed.object);
      else {
        const { name, problem } = parsed;
        this.#options.log.warn({ resource: type.plural, name, problem }, "skipping an unreadable object");
      }
    }
    const { resourceVersion, continue: continueToken = "" } = list.data.metadata;
    return { items, resourceVersion, ...(continueToken === "" ? {} : { continueToken }) };
  }
}

function listRequest(type: ResourceType, options: PageOptions): KubeRequest {
  const { namespace, labelSelector, fieldSelector, limit = PAGE_SIZE, continueToken } = options;
  return {
    method: "GET",
    path: collectionPath(type, namespace),
    query: { labelSelector, fieldSelector, limit: limit === 0 ? undefined : limit, continue: continueToken },
    accept: options.metadataOnly === true ? metadataOnlyAccept.list : undefined,
    maxBytes: MAX_PAGE_BYTES,
  };
}

/** The apiserver answers a patch that does not fit the object with 422 and, unlike for an invalid object, names no field. */
function notAsItWas(error: unknown): unknown {
  if (!isKubeError(error, "Invalid") || error.status !== 422 || error.causes.length > 0) return error;
  return new KubeError("Conflict", error.message, { status: 422, effect: "none", reason: error.reason, cause: error });
}

function namespaceFor(type: ResourceType, object: ObjectDraft): string {
  const { namespace = "", name } = object.metadata;
  if (type.namespaced && namespace === "") throw new TypeError(`${type.kind} ${name} without a namespace`);
  return namespace;
}

function idOf(type: ResourceType, object: ObjectDraft): ObjectId {
  return { namespace: namespaceFor(type, object), name: object.metadata.name };
}
