import type { KubeObject } from "../../../src/resources/meta.ts";
import type { Exchange } from "./exchange.ts";
import { statusObject } from "./exchange.ts";
import type { KubeServer } from "./kube-server.ts";
import { widget, widgetList } from "./widgets.ts";

/** What may go wrong with a watch after its first event; a list is not touched by these. */
type StreamFault = "none" | "garbage" | "cut" | "ended" | "silent";

/** What may go wrong with one request. */
export type Fault = StreamFault | "reset" | "error" | "throttled" | "html" | "expired";

interface HistoryEntry {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

/** Near a power of ten, where comparing as text would go wrong. */
const FIRST_VERSION = 95;

/**
 * An apiserver of Widgets that lives: it has a state and a history, answers lists page by page and watches from any version that it
 * remembers, and treats each request with the next fault of a plan.
 */
export class LivingServer {
  readonly #server: KubeServer;
  readonly #faults: Fault[];
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: HistoryEntry[] = [];
  readonly #watches = new Map<Exchange, number>();
  #compacted = FIRST_VERSION;
  #uids = 0;

  constructor(server: KubeServer, faults: readonly Fault[]) {
    this.#server = server;
    this.#faults = [...faults];
  }

  /** Names and versions, in order of names: "a@96". */
  get state(): readonly string[] {
    return [...this.#objects.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted();
  }

  /** How many faults of the plan are still to come. */
  get faultsLeft(): number {
    return this.#faults.length;
  }

  /** Answers requests until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const exchange = await this.#server.next(signal).catch(() => undefined);
      if (exchange !== undefined) this.#answer(exchange);
    }
  }

  /** Creates or changes an object; answers with it. */
  write(name: string): KubeObject {
    const current = this.#objects.get(name);
    const uid = current?.metadata.uid ?? `uid-${++this.#uids}`;
    const object = widget(name, this.#version + 1, { uid });
    this.#objects.set(name, object);
    this.#record({ type: current === undefined ? "ADDED" : "MODIFIED", object });
    return object;
  }

  remove(name: string): void {
    const current = this.#objects.get(name);
    if (current === undefined) return;
    this.#objects.delete(name);
    this.#record({ type: "DELETED", object: widget(name, this.#version + 1, { uid: current.metadata.uid }) });
  }

  /** Forgets the history. */
  compact(): void {
    this.#compacted = this.#version;
  }

  /** Tells all watches how far they are. */
  bookmark(): void {
    for (const watch of this.#watches.keys()) watch.bookmark(String(this.#version));
  }

  get #version(): number {
    return FIRST_VERSION + this.#history.length;
  }

  #record(entry: HistoryEntry): void {
    this.#history.push(entry);
    for (const watch of this.#watches.keys()) watch.event(entry.type, entry.object);
  }

  #answer(exchange: Exchange): void {
    const fault = this.#faults.shift() ?? "none";
    switch (fault) {
      case "reset":
        return exchange.reset();
      case "error":
        return exchange.failure(500, "InternalError");
      case "throttled":
        return exchange.failure(429, "TooManyRequests", { headers: { "retry-after": "1" } });
      case "html":
        return exchange.text(200, "<html>login</html>");
      case "expired":
        return exchange.failure(410, "Expired");
      case "none":
      case "garbage":
      case "cut":
      case "ended":
      case "silent":
        return exchange.query["watch"] === "true" ? this.#watch(exchange, fault) : this.#list(exchange);
      default: {
        const never: never = fault;
        return never;
      }
    }
  }

  /** A page of the state as it was when the list began, as long as that is remembered. */
  #list(exchange: Exchange): void {
    const limit = Number(exchange.query["limit"] ?? Infinity);
    const [version = this.#version, start = 0] = (exchange.query["continue"] ?? "")
      .split("/")
      .filter(Boolean)
      .map(Number);
    if (version < this.#compacted) return exchange.failure(410, "Expired");
    const items = this.#stateAt(version);
    const end = start + limit;
    exchange.json(
      200,
      widgetList(items.slice(start, end), version, end < items.length ? `${version}/${end}` : undefined),
    );
  }

  #stateAt(version: number): readonly KubeObject[] {
    const objects = new Map<string, KubeObject>();
    for (const { type, object } of this.#history.slice(0, version - FIRST_VERSION)) {
      if (type === "DELETED") objects.delete(object.metadata.name);
      else objects.set(object.metadata.name, object);
    }
    return [...objects.values()].toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  #watch(exchange: Exchange, fault: StreamFault): void {
    const version = Number(exchange.query["resourceVersion"]);
    exchange.open();
    if (version < this.#compacted) return exchange.event("ERROR", statusObject(410, "Expired"));
    const missed = this.#history.slice(version - FIRST_VERSION);
    const told = fault === "none" ? missed : missed.slice(0, 1);
    for (const { type, object } of told) exchange.event(type, object);
    switch (fault) {
      case "none":
        this.#watches.set(exchange, version);
        return;
      case "garbage":
        return exchange.write("upstream error\n");
      case "cut":
        exchange.write('{"type": "MODIFIED", "object": {"metadata": {"name": "a"');
        return exchange.reset();
      case "ended":
        return exchange.end();
      case "silent":
        return; // it stays open, and nothing comes any more
      default: {
        const never: never = fault;
        return never;
      }
    }
  }
}
