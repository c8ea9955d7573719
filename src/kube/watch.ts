import { z } from "zod";
import type { ChildController } from "../base/abort.ts";
import { childController } from "../base/abort.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { ResourceType } from "../resources/meta.ts";
import { byteLines } from "./byte-lines.ts";
import type { WatchEvent, WatchOptions } from "./client.ts";
import { errorFromStatus, KubeError, parseStatus } from "./errors.ts";
import type { KubeTransport } from "./exchange.ts";
import { metadataOnlyAccept, parseObject, versionOf } from "./objects.ts";
import { collectionPath } from "./resource-path.ts";

interface WatchContext {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long the head of a watch may take: the apiserver sends it as soon as its watch cache is ready. */
const HEAD_DEADLINE_MS = 30_000;
/** Longest event: etcd takes objects of 1.5 MiB, and escaping makes them longer. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

const eventSchema = z.object({ type: z.string(), object: z.unknown() });

/**
 * One watch, from its request to its end. Ends when the server ends it; throws a KubeError for everything else: `Gone` when the version is
 * too old (as an answer or as an ERROR event), `Timeout` when nothing arrived for `idleMs`, `UnexpectedResponse` for what is no event.
 */
export async function* watchEvents(
  context: WatchContext,
  type: ResourceType,
  options: WatchOptions,
): AsyncGenerator<WatchEvent, void> {
  const silence = new SilenceGuard(context.clock, options);
  const path = collectionPath(type, options.namespace);
  try {
    const chunks = await context.transport.stream({
      method: "GET",
      path,
      query: {
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: options.resourceVersion,
        timeoutSeconds: options.timeoutSeconds,
        labelSelector: options.labelSelector,
      },
      accept: options.metadataOnly === true ? metadataOnlyAccept.object : undefined,
      signal: silence.signal,
      deadlineMs: HEAD_DEADLINE_MS,
    });
    silence.heard();
    for await (const line of byteLines(tapped(chunks, silence), MAX_LINE_BYTES)) {
      const event = readEvent(context.log, type, { line, path });
      if (event !== undefined) yield event;
    }
  } finally {
    silence.end();
  }
}

/** Aborts a watch that has been silent for too long, or whose reader stopped. */
class SilenceGuard {
  readonly #controller: ChildController;
  readonly #clock: Clock;
  readonly #options: WatchOptions;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: WatchOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#controller = childController(options.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something arrived: the time starts anew. */
  heard(): void {
    this.#options.onActivity?.();
    this.#timer?.cancel();
    const { idleMs } = this.#options;
    this.#timer = this.#clock.setTimer(idleMs, () => {
      this.#controller.abort(new KubeError("Timeout", `the watch was silent for ${idleMs} ms`, { effect: "none" }));
    });
  }

  end(): void {
    this.#timer?.cancel();
    this.#controller[Symbol.dispose]();
  }
}

async function* tapped(chunks: AsyncIterable<Uint8Array>, silence: SilenceGuard): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    silence.heard();
    yield chunk;
  }
}

function readEvent(
  log: Logger,
  type: ResourceType,
  source: { readonly line: string; readonly path: string },
): WatchEvent | undefined {
  const event = parseLine(source.line);
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED": {
      const parsed = parseObject(type, event.object);
      if (parsed.ok) return { type: event.type, object: parsed.object };
      log.warn({ resource: type.plural, name: parsed.name, problem: parsed.problem }, "skipping an unreadable object");
      return versioned("UNREADABLE", event.object);
    }
    case "BOOKMARK":
      return versioned("BOOKMARK", event.object);
    case "ERROR": {
      const code = parseStatus(event.object)?.code ?? 500;
      throw errorFromStatus(code, event.object, { method: "GET", path: source.path });
    }
    default:
      log.debug({ resource: type.plural, type: event.type }, "skipping a watch event of unknown type");
      return undefined;
  }
}

function versioned(type: "BOOKMARK" | "UNREADABLE", object: unknown): WatchEvent | undefined {
  const resourceVersion = versionOf(object);
  return resourceVersion === undefined ? undefined : { type, resourceVersion };
}

function parseLine(line: string): z.infer<typeof eventSchema> {
  try {
    return eventSchema.parse(JSON.parse(line));
  } catch (error) {
    throw new KubeError("UnexpectedResponse", "a line of the watch is not an event", { effect: "none", cause: error });
  }
}
