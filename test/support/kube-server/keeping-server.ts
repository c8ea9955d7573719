import { randomUUID } from "node:crypto";
import type { JsonPatch } from "../../../src/kube/json-patch.ts";
import { type KubeObject, kubeObjectSchema } from "../../../src/resources/meta.ts";
import type { Exchange } from "./exchange.ts";
import { KubeServer } from "./kube-server.ts";

/** An object as it is sent: whatever it holds. */
type Draft = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

/** What becomes of a write: it is refused and changes nothing, or takes effect and its answer is lost. */
export type WriteFault = "refused" | "lost";

/** How requests are refused. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message?: string;
  readonly details?: object;
}

/** The paths below /api/v1 and /apis/<group>/<version>: collection, object, subresource. */
const path =
  /^\/apis?\/(?<root>v1|[^/]+\/[^/]+)(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<plural>[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<sub>status))?$/u;

/** What the apiserver offers of a group. */
const GROUP = /^\/apis\/[^/]+\/[^/]+$/u;

/** A write that was sent and has not arrived. */
export interface HeldWrite {
  /** resolves when it was sent */
  readonly reached: Promise<void>;
  release(): void;
}

/**
 * A loopback apiserver that keeps what it is given, for tests of controllers without a control plane: create, read, merge patch, JSON patch, and
 * deletion, that of the test waiting for finalizers; optimistic locks by resourceVersion and uid; spec and status apart. It neither watches nor
 * validates: test/e2e asks a real one.
 */
export class KeepingServer implements AsyncDisposable {
  readonly #server: KubeServer;
  readonly #now: () => number;
  readonly #objects = new Map<string, KubeObject>();
  readonly #withdrawn = new Set<string>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #stop = new AbortController();
  #hold: ((exchange: Exchange) => void) | undefined;
  #version = 100;
  #writes = 0;
  readonly #written = new Map<string, number>();
  readonly #read = new Map<string, number>();
  #fault: { readonly write: number; readonly kind: WriteFault } | undefined;

  private constructor(server: KubeServer, now: () => number) {
    this.#server = server;
    this.#now = now;
  }

  /** @param now the server's wall time, milliseconds since the epoch, as its answers tell it; default: the machine's */
  static async start(now: () => number = Date.now): Promise<KeepingServer> {
    const server = new KeepingServer(await KubeServer.start({ now }), now);
    void server.#serve();
    return server;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Lets the write after the next `skip` ones fail, once. */
  failWrite(skip: number, kind: WriteFault): void {
    this.#fault = { write: this.#writes + skip + 1, kind };
  }

  /** Refuses each write of `projects`, say, or `projects/status` from now on, as a quota or an admission webhook does; undefined: no more. */
  refuseWrites(resource: string, refusal: Refusal | undefined): void {
    if (refusal === undefined) this.#refusals.delete(resource);
    else this.#refusals.set(resource, refusal);
  }

  /** Refuses each read of `secrets`, say, in the same way. */
  refuseReads(resource: string, refusal: Refusal | undefined): void {
    this.refuseWrites(`GET ${resource}`, refusal);
  }

  /** Lets the next write arrive late: nothing comes of it before it is released. */
  holdWrite(): HeldWrite {
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.#hold = (exchange) => {
      this.#hold = undefined;
      reached.resolve();
      void released.promise.then(() => this.#answer(exchange));
    };
    return { reached: reached.promise, release: released.resolve };
  }

  /** Requests so far that were to change something. */
  get writes(): number {
    return this.#writes;
  }

  /** The same by what they were about, such as `PATCH projects/status`. */
  get written(): ReadonlyMap<string, number> {
    return this.#written;
  }

  /** Reads of objects so far by what they were about, such as `secrets`. */
  get read(): ReadonlyMap<string, number> {
    return this.#read;
  }

  /** Version of everything, as a list tells it. */
  get version(): string {
    return String(this.#version);
  }

  /** The objects of a plural, of every namespace. */
  list(plural: string): readonly KubeObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object);
  }

  get(plural: string, namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(`${plural}/${namespace}/${name}`);
  }

  /** Puts an object there, as kubectl would: a spec that changed makes a new generation, the status stays. */
  put(plural: string, draft: Draft): KubeObject {
    const { name, namespace = "" } = draft.metadata;
    const key = `${plural}/${String(namespace)}/${String(name)}`;
    const before = this.#objects.get(key);
    if (before === undefined) return this.#store(key, undefined, this.#fresh(draft));
    const metadata = { ...before.metadata, ...draft.metadata };
    return this.#store(key, before, { ...before, ...draft, metadata, status: before["status"] });
  }

  /** Makes another status of an object's, as another program would; its spec and generation stay. */
  restate(plural: string, namespace: string, name: string, change: (status: unknown) => unknown): void {
    const key = `${plural}/${namespace}/${name}`;
    const before = this.#objects.get(key);
    if (before === undefined) throw new RangeError(`no ${key}`);
    this.#store(key, before, { ...before, status: change(before["status"]) });
  }

  /**
   * Asks for an object's deletion: it goes when it has no finalizers.
   *
   * @param nowMs when, milliseconds since the epoch; default: now
   */
  delete(plural: string, namespace: string, name: string, nowMs = this.#now()): void {
    const key = `${plural}/${namespace}/${name}`;
    const before = this.#objects.get(key);
    if (before === undefined) return;
    const deletionTimestamp = before.metadata.deletionTimestamp ?? new Date(nowMs).toISOString();
    this.#store(key, before, { ...before, metadata: { ...before.metadata, deletionTimestamp } });
  }

  /** Deletes the definition of a plural, which offers then what may be done with the objects that are left. */
  withdraw(plural: string): void {
    this.#withdrawn.add(plural);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#server[Symbol.asyncDispose]();
  }

  async #serve(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const exchange = await this.#server.next(this.#stop.signal).catch(() => undefined);
      if (exchange !== undefined) this.#answer(exchange);
    }
  }

  #answer(exchange: Exchange): void {
    if (GROUP.test(exchange.path)) return exchange.json(200, this.#offered());
    if (exchange.method !== "GET" && this.#hold !== undefined) return this.#hold(exchange);
    this.#count(exchange);
    const fault = exchange.method !== "GET" && this.#fault?.write === this.#writes ? this.#fault.kind : undefined;
    if (fault === "refused") return exchange.failure(500, "InternalError");
    const resource = resourceIn(exchange.path);
    const refusal = this.#refusals.get(exchange.method === "GET" ? `GET ${resource}` : resource);
    if (refusal !== undefined) return exchange.failure(refusal.status, refusal.reason, refusal);
    this.#carryOut(exchange, (status, object) => (fault === "lost" ? exchange.reset() : exchange.json(status, object)));
  }

  #count({ method, path: asked }: Exchange): void {
    const resource = resourceIn(asked);
    if (method === "GET") {
      this.#read.set(resource, (this.#read.get(resource) ?? 0) + 1);
      return;
    }
    this.#writes += 1;
    const what = `${method} ${resource}`;
    this.#written.set(what, (this.#written.get(what) ?? 0) + 1);
  }

  #carryOut(exchange: Exchange, succeed: (status: number, object: KubeObject) => void): void {
    const { namespace = "", plural = "", name = "", sub } = path.exec(exchange.path)?.groups ?? {};
    const key = `${plural}/${namespace}/${name}`;
    const before = this.#objects.get(key);
    if (exchange.method === "POST") return this.#create(exchange, `${plural}/${namespace}`, succeed);
    if (before === undefined) return exchange.failure(404, "NotFound");
    if (exchange.method === "GET") return exchange.json(200, before);
    if (exchange.method === "DELETE") return this.#remove(exchange, key, before);
    if (exchange.method !== "PATCH") return exchange.failure(405, "MethodNotAllowed");
    const patched =
      exchange.headers["content-type"] === "application/json-patch+json"
        ? jsonPatched(before, exchange.body as JsonPatch)
        : (merged(before, exchange.body) as KubeObject);
    if (patched === undefined || isStale(before, exchange.body, sub)) return exchange.failure(409, "Conflict");
    const next = sub === "status" ? { ...before, status: patched["status"] } : { ...patched, status: before["status"] };
    succeed(200, this.#store(key, before, next));
  }

  #offered(): object {
    const offer = (name: string): object => {
      const common = ["delete", "deletecollection", "get", "list", "watch"];
      return { name, verbs: this.#withdrawn.has(name) ? common : [...common, "create", "patch", "update"] };
    };
    return { kind: "APIResourceList", resources: ["projects", "branches", "edgefunctions", "secrets"].map(offer) };
  }

  /** A deletion by request, for what has no finalizers. */
  #remove(exchange: Exchange, key: string, before: KubeObject): void {
    const { preconditions } = exchange.body as { readonly preconditions?: object };
    if (isStale(before, { metadata: preconditions })) return exchange.failure(409, "Conflict");
    this.#version += 1;
    this.#objects.delete(key);
    exchange.json(200, { kind: "Status", status: "Success", details: { uid: before.metadata.uid } });
  }

  #create(exchange: Exchange, collection: string, succeed: (status: number, object: KubeObject) => void): void {
    const draft = exchange.body as Draft;
    const key = `${collection}/${String(draft.metadata["name"])}`;
    if (this.#objects.has(key)) return exchange.failure(409, "AlreadyExists");
    succeed(201, this.#store(key, undefined, this.#fresh(draft)));
  }

  #fresh(draft: Draft): unknown {
    const metadata = { uid: randomUUID(), generation: 0, creationTimestamp: "2026-01-01T00:00:00Z", ...draft.metadata };
    return { ...draft, ...encoded(draft), metadata };
  }

  #store(key: string, before: KubeObject | undefined, next: unknown): KubeObject {
    this.#version += 1;
    const object = kubeObjectSchema.parse(merged(next, { metadata: { resourceVersion: String(this.#version) } }));
    const respecified = before === undefined || JSON.stringify(before["spec"]) !== JSON.stringify(object["spec"]);
    const generation = (before?.metadata.generation ?? 0) + (respecified ? 1 : 0);
    const stored = { ...object, metadata: { ...object.metadata, generation } };
    const leaving = stored.metadata.deletionTimestamp !== undefined && (stored.metadata.finalizers ?? []).length === 0;
    if (leaving) this.#objects.delete(key);
    else this.#objects.set(key, stored);
    return stored;
  }
}

/** As `projects`, or `projects/status`. */
function resourceIn(asked: string): string {
  const { plural = "", sub } = path.exec(asked)?.groups ?? {};
  return sub === undefined ? plural : `${plural}/${sub}`;
}

/** `stringData` of a Secret becomes base64 in `data`. */
function encoded(draft: Draft): object {
  const { stringData } = draft;
  if (typeof stringData !== "object" || stringData === null) return {};
  const data = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(String(value)).toString("base64")]);
  return { stringData: undefined, data: Object.fromEntries(data) };
}

/** A merge patch that names an older version or another object; of a status the real one looks at no uid, as it takes the metadata of what is there. */
function isStale(before: KubeObject, patch: unknown, sub?: string): boolean {
  const { metadata = {} } = patch as { metadata?: { uid?: string; resourceVersion?: string } };
  const { uid = before.metadata.uid, resourceVersion = before.metadata.resourceVersion } = metadata;
  return (sub !== "status" && uid !== before.metadata.uid) || resourceVersion !== before.metadata.resourceVersion;
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result = new Map<string, unknown>(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else if (value !== undefined) result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** Tests, and add, replace or remove, of what lies below metadata (RFC 6902); a test of null holds for what is not there, as with the apiserver. */
function jsonPatched(before: KubeObject, patch: JsonPatch): KubeObject | undefined {
  const copy = structuredClone(before) as unknown as Record<string, unknown>;
  for (const operation of patch) {
    const steps = operation.path
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = steps.at(-1);
    const parent = steps.slice(0, -1).reduce<unknown>(memberOf, copy);
    if (steps[0] !== "metadata" || last === undefined) return undefined;
    if (typeof parent !== "object" || parent === null) return undefined;
    if (operation.op === "test") {
      if (JSON.stringify(memberOf(parent, last) ?? null) !== JSON.stringify(operation.value)) return undefined;
    } else if (operation.op !== "remove") Reflect.set(parent, last, operation.value);
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else Reflect.deleteProperty(parent, last);
  }
  return copy as unknown as KubeObject;
}

function memberOf(parent: unknown, name: string): unknown {
  return typeof parent === "object" && parent !== null ? Reflect.get(parent, name) : undefined;
}
