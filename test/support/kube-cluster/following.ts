import { expect, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { Reflector } from "../../../src/kube/reflector.ts";
import type { ReflectorTuning } from "../../../src/kube/reflector-recovery.ts";
import { Store } from "../../../src/kube/store.ts";
import type { ResourceType } from "../../../src/resources/meta.ts";
import type { RecordingMeter } from "../kube-server/recording-meter.ts";
import { recordingMeter } from "../kube-server/recording-meter.ts";

/** How long news from a real apiserver may take, milliseconds. */
const PATIENCE_MS = 30_000;

/** A reflector at work on a real apiserver. */
export interface Following {
  readonly store: Store;
  readonly reflector: Reflector;
  readonly meter: RecordingMeter;
  /** What handlers were told: "added a", "updated a", "deleted a". */
  readonly told: readonly string[];
  /** Resolves when these names, in order, are all that is stored in the namespace (but for what some clusters put into each). */
  readonly shows: (namespace: string, names: readonly string[]) => Promise<void>;
  /** Resolves when the watch was started again for this reason at least so many times. */
  readonly restarted: (reason: string, times?: number) => Promise<void>;
  /** How many complete lists were made. */
  readonly lists: () => number;
}

interface FollowOptions {
  readonly client: Pick<KubeClient, "listPage" | "watch">;
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly optional?: boolean;
  readonly metadataOnly?: boolean;
  readonly store?: Store;
  readonly tuning?: Partial<ReflectorTuning>;
}

/** Starts one, with short pauses; it ends with the test. */
export function follow(options: FollowOptions): Following {
  const { type, metadataOnly = false, tuning, store = new Store({ type, metadataOnly }), ...rest } = options;
  const told: string[] = [];
  store.addHandler({
    added: ({ metadata }) => void told.push(`added ${metadata.name}`),
    updated: (_, { metadata }) => void told.push(`updated ${metadata.name}`),
    deleted: ({ metadata }) => void told.push(`deleted ${metadata.name}`),
  });
  const meter = recordingMeter();
  const short = { firstPauseMs: 50, longestPauseMs: 500, absentPollMs: 200, ...tuning };
  const common = { clock: systemClock, random: Math.random, log: silentLogger, meter };
  const reflector = new Reflector({ ...rest, ...common, store, tuning: short });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  onTestFinished(async () => {
    stop.abort(new Error("the test is over"));
    await running;
  });
  const resource = type.plural;
  return {
    store,
    reflector,
    meter,
    told,
    shows: async (namespace, names) => {
      const stored = (): readonly string[] =>
        store
          .list(namespace)
          .map(({ metadata }) => metadata.name)
          .filter((name) => name !== "kube-root-ca.crt");
      await vi.waitFor(() => expect(stored().toSorted()).toEqual(names), { timeout: PATIENCE_MS });
    },
    restarted: async (reason, times = 1) => {
      const count = (): number => meter.counted("baas_kube_watch_restarts_total", { resource, reason });
      await vi.waitFor(() => expect(count()).toBeGreaterThanOrEqual(times), { timeout: PATIENCE_MS });
    },
    lists: () => meter.counted("baas_kube_lists_total", { resource }),
  };
}
