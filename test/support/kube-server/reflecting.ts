import { onTestFinished, vi, expect } from "vitest";
import type { ManualClock } from "../../../src/base/manual-clock.ts";
import { Reflector } from "../../../src/kube/reflector.ts";
import { defaultTuning } from "../../../src/kube/reflector-recovery.ts";
import { Store } from "../../../src/kube/store.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { connected } from "./connected.ts";
import type { Exchange } from "./exchange.ts";
import type { KubeServer } from "./kube-server.ts";
import type { RecordingMeter } from "./recording-meter.ts";
import { recordingMeter } from "./recording-meter.ts";
import { widget, widgetList, widgetType } from "./widgets.ts";

type ReflectorOptions = ConstructorParameters<typeof Reflector>[0];

/** A reflector at work on a scripted server, and what a test needs to see of it. */
export interface Reflecting {
  readonly server: KubeServer;
  readonly clock: ManualClock;
  readonly store: Store;
  readonly reflector: Reflector;
  readonly meter: RecordingMeter;
  /** What handlers were told: "added a@1". */
  readonly told: readonly string[];
  /** Ends the reflector; resolves when its loop has. */
  readonly stop: () => Promise<void>;
  /** Lets exactly this pause pass, once the reflector makes it. */
  readonly pause: (ms: number) => Promise<void>;
  /** Waits until the next timer is due in exactly so many milliseconds. */
  readonly nextTimer: (ms: number) => Promise<void>;
  /** Names and versions in the store, in order of names: "a@1". */
  readonly stored: () => readonly string[];
}

/** Starts one; it ends with the test. */
export async function reflecting(
  options: Partial<ReflectorOptions> & { readonly metadataOnly?: boolean } = {},
): Promise<Reflecting> {
  const { server, client, clock, ...rest } = await connected();
  const { metadataOnly = false, ...reflectorOptions } = options;
  const store = options.store ?? new Store({ type: widgetType, metadataOnly });
  const told: string[] = [];
  store.addHandler({
    added: ({ metadata }) => void told.push(`added ${metadata.name}@${metadata.resourceVersion}`),
    updated: (_, { metadata }) => void told.push(`updated ${metadata.name}@${metadata.resourceVersion}`),
    deleted: ({ metadata }) => void told.push(`deleted ${metadata.name}`),
  });
  const meter = recordingMeter();
  const common = { client, store, clock, meter, random: () => 0.5, log: silentLogger };
  const reflector = new Reflector({ ...common, ...reflectorOptions });
  const controller = new AbortController();
  const running = reflector.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort(new Error("the test is over"));
    await running;
  };
  const nextTimer = async (ms: number): Promise<void> => {
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(ms), { interval: 2, timeout: 5000 });
  };
  onTestFinished(async () => {
    await stop();
    await rest[Symbol.asyncDispose]();
  });
  return {
    server,
    clock,
    store,
    reflector,
    meter,
    told,
    stop,
    nextTimer,
    pause: async (ms) => {
      await nextTimer(ms);
      clock.advance(ms);
    },
    stored: () =>
      store
        .list()
        .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
        .toSorted(),
  };
}

/** As `reflecting`, with a first list of a@1 and b@2 at version 5 delivered and the watch from there open. */
export async function watching(
  options: Parameters<typeof reflecting>[0] = {},
): Promise<Reflecting & { readonly watch: Exchange }> {
  const parts = await reflecting(options);
  (await parts.server.next()).json(200, widgetList([widget("a", 1), widget("b", 2)], 5));
  const watch = await parts.server.next();
  watch.open();
  await parts.reflector.synced;
  await parts.nextTimer(defaultTuning.idleMs); // the head has arrived
  return { ...parts, watch };
}

/** What a request of a reflector was: "list", "list after TOKEN" or "watch from VERSION". */
export function described({ query }: Exchange): string {
  if (query["watch"] === "true") return `watch from ${query["resourceVersion"]}`;
  return query["continue"] === undefined ? "list" : `list after ${query["continue"]}`;
}
