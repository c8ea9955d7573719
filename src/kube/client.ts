/**
 * src/kube: Kubernetes from the client's side: transport, typed requests, watches, stores, events and leases. Everything here is
 * generic over `ResourceType`: what our kinds mean, and the Management API, are known elsewhere and never here.
 *
 * This file: the requests that the rest of the program makes of the apiserver. client-requests.ts carries them out.
 */
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import type { JsonPatch } from "./json-patch.ts";
import type { ObjectId } from "./resource-path.ts";

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** For the whole call with its retries, milliseconds; default 30 000. */
  readonly deadlineMs?: number;
  /** Asks for metadata alone: the answer carries neither spec, status nor data. */
  readonly metadataOnly?: boolean;
}

export interface WriteOptions extends RequestOptions {
  readonly subresource?: "status";
  /** Who writes: what managedFields will name. */
  readonly fieldManager?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over that another manager owns; default true, as is usual for controllers. Else those are a `Conflict`. */
  readonly force?: boolean;
}

export interface DeleteOptions extends Omit<RequestOptions, "metadataOnly"> {
  /** Another uid or version on the server is a `Conflict`, and nothing is deleted. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
}

export interface ListOptions extends RequestOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects a page; default 500. 0: all in one page. */
  readonly limit?: number;
}

export interface PageOptions extends ListOptions {
  /** From the previous page. */
  readonly continueToken?: string;
}

export interface ListPage {
  readonly items: readonly KubeObject[];
  /** The version of the list as a whole, where a watch goes on from. */
  readonly resourceVersion: string;
  /** Absent on the last page. */
  readonly continueToken?: string;
}

export interface WatchOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly metadataOnly?: boolean;
  /** Events after this version are delivered. */
  readonly resourceVersion: string;
  /** After how long the server ends the watch, seconds. */
  readonly timeoutSeconds: number;
  /** After how long without a byte the connection is given up, milliseconds. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Called when the server has accepted the watch and on every piece that arrives. */
  readonly onActivity?: () => void;
}

/** What a watch delivers. UNREADABLE is an event of an object whose metadata cannot be read: only its version counts. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK" | "UNREADABLE"; readonly resourceVersion: string };

/** What a create or an apply takes: anything that names a kind and an object. */
export interface ObjectDraft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Result of a deletion: the object is gone, or it stays (with a deletionTimestamp) until its finalizers are removed. */
export type ObjectDeletion = { readonly gone: true } | { readonly gone: false; readonly object: KubeObject };

/**
 * Requests to the apiserver for objects of any kind. All reject with a KubeError, or with the reason of `options.signal` when that
 * aborts. Objects are returned with the apiVersion and kind of `type`, also where the apiserver leaves them out (in lists) or
 * answers PartialObjectMetadata.
 *
 * Retries by itself, within the deadline: what the server refused with 429 (after its Retry-After) and what never reached a
 * server, for every verb; any broken connection and 5xx for reads alone. A write whose answer was lost is never sent again: its error has
 * effect `unknown`.
 */
export interface KubeClient {
  /** The apiserver's wall time by its last answer, milliseconds since the epoch: what times in objects are to be compared with. Undefined before the first. */
  serverNow(): number | undefined;
  get(type: ResourceType, id: ObjectId, options?: RequestOptions): Promise<KubeObject>;
  /**
   * Whether the definition of a type is being deleted, and all its objects with it: its discovery, which everybody may read, offers no more to create
   * any. False where the apiserver does not tell.
   */
  isWithdrawn(type: ResourceType, options?: RequestOptions): Promise<boolean>;
  /** Every page, from the newest data there is. A token that expires on the way is a `Gone`. */
  list(type: ResourceType, options?: ListOptions): AsyncIterable<ListPage>;
  /** One page, without retries: reflectors have their own. */
  listPage(type: ResourceType, options: PageOptions): Promise<ListPage>;
  /** Events from a version on; ends when the server ends the watch, throws when anything else does. */
  watch(type: ResourceType, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** POST; `AlreadyExists` when the name is taken. */
  create(type: ResourceType, object: ObjectDraft, options?: WriteOptions): Promise<KubeObject>;
  /** PUT; with `metadata.resourceVersion` an older version than the server's is a `Conflict`. */
  update(type: ResourceType, object: ObjectDraft, options?: WriteOptions): Promise<KubeObject>;
  /** Server-side apply: the fields in `object` become ours, those that we no longer name are released. */
  apply(type: ResourceType, object: ObjectDraft, options: ApplyOptions): Promise<KubeObject>;
  /** RFC 6902. A failed `test`, or a path that is not there, is a `Conflict`: the object is not as it was thought to be. */
  patchJson(type: ResourceType, id: ObjectId, patch: JsonPatch, options?: WriteOptions): Promise<KubeObject>;
  /** RFC 7386: null removes a field. With `metadata.resourceVersion` in the patch an older version is a `Conflict`. */
  patchMerge(type: ResourceType, id: ObjectId, patch: object, options?: WriteOptions): Promise<KubeObject>;
  delete(type: ResourceType, id: ObjectId, options?: DeleteOptions): Promise<ObjectDeletion>;
}

/** Told of the results of all writes, so that stores show them at once (engine.md §8 "Read your own writes"). */
export interface WriteObserver {
  /** @param partial the response has metadata alone */
  written(type: ResourceType, object: KubeObject, partial: boolean): void;
  deleted(type: ResourceType, id: ObjectId, uid: string | undefined): void;
}
