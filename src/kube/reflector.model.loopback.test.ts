import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { silentLogger } from "../base/log.ts";
import { silentMeter } from "../base/meter.ts";
import type { KubeObject } from "../resources/meta.ts";
import { connected } from "../../test/support/kube-server/connected.ts";
import type { Fault } from "../../test/support/kube-server/living-server.ts";
import { LivingServer } from "../../test/support/kube-server/living-server.ts";
import { widgetType } from "../../test/support/kube-server/widgets.ts";
import { Reflector } from "./reflector.ts";
import { Store } from "./store.ts";

type Step =
  | { readonly do: "write" | "remove" | "ownWrite"; readonly name: string }
  | { readonly do: "compact" | "bookmark" | "wait" };

const faults: readonly Fault[] = [
  "none",
  "reset",
  "error",
  "throttled",
  "html",
  "expired",
  "garbage",
  "cut",
  "ended",
  "silent",
];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("write", "remove", "ownWrite"), name: fc.constantFrom("a", "b", "c", "d", "e") }),
  fc.record({ do: fc.constantFrom("compact", "bookmark", "wait", "wait") }),
);

function stored(store: Store): readonly string[] {
  return store
    .list()
    .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
    .toSorted();
}

/** Lives through the steps, then lets time pass until the store is right; answers with what handlers were told, put together. */
async function live(steps: readonly Step[], plan: readonly Fault[]): Promise<void> {
  await using parts = await connected();
  const { server, client, clock } = parts;
  const living = new LivingServer(server, plan);
  const store = new Store({ type: widgetType });
  const told = new Map<string, KubeObject>();
  store.addHandler({
    added: (object) => void told.set(object.metadata.name, object),
    updated: (_, object) => void told.set(object.metadata.name, object),
    deleted: (object) => void told.delete(object.metadata.name),
  });
  const tuning = { pageSize: 2 };
  const common = { client, store, clock, log: silentLogger, meter: silentMeter };
  const reflector = new Reflector({ ...common, random: () => 0.5, tuning });
  const stop = new AbortController();
  const running = [living.run(stop.signal), reflector.run(stop.signal)];
  for (const taken of steps) await take(taken, { living, store, advance: (ms) => clock.advanceAsync(ms) });
  await vi.waitFor(
    () => {
      clock.advance(1000);
      expect(living.faultsLeft).toBe(0);
      expect(store.hasSynced).toBe(true);
      expect(stored(store)).toEqual(living.state);
    },
    { interval: 1, timeout: 20_000 },
  );
  expect(reflector.alive).toBe(true);
  expect(new Map(store.list().map((object) => [object.metadata.name, object]))).toEqual(told);
  stop.abort(new Error("done"));
  await Promise.all(running);
  expect(clock.pendingTimers).toBe(0);
}

async function take(
  taken: Step,
  on: { readonly living: LivingServer; readonly store: Store; readonly advance: (ms: number) => Promise<void> },
): Promise<void> {
  switch (taken.do) {
    case "write":
      on.living.write(taken.name);
      return;
    case "ownWrite":
      on.store.put(on.living.write(taken.name));
      return;
    case "remove":
      return on.living.remove(taken.name);
    case "compact":
      return on.living.compact();
    case "bookmark":
      return on.living.bookmark();
    case "wait":
      return await on.advance(700);
    default: {
      const never: never = taken;
      return never;
    }
  }
}

describe("a reflector, after any changes on the server and any faults of the network", () => {
  it("makes its store equal to the server's state, and its loop lives on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40, size: "max" }),
        fc.array(fc.constantFrom(...faults), { maxLength: 8, size: "max" }),
        live,
      ),
      { numRuns: 40 },
    );
  });
});
