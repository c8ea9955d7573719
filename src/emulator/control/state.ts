import { z } from "zod";
import { applySeed } from "../state/apply-seed.ts";
import { changeSettings } from "../state/change-settings.ts";
import { seedSchema } from "../state/seed.ts";
import { settingsChangeSchema, settingsSchema } from "../state/settings.ts";
import { badRequest } from "../failure.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations, nothing } from "./call.ts";
import type { RequestParts } from "./requests.ts";
import { readState, stateViewSchema } from "./views.ts";

/** Control calls about the emulated service as a whole: its state, its time, how it behaves. */

/** Times are told with years of four digits: one that has more no reader of RFC 3339 takes. */
const LATEST_MS = Date.UTC(9999, 11, 31);

const moment = z.object({ now: z.string(), nowMs: z.number() });

export const stateCalls = {
  state: {
    read: call({
      summary:
        "Organizations, users, projects with their functions, secrets and log drains, and branches; no secret value",
      input: nothing,
      output: stateViewSchema,
    }),
    seed: call({
      summary: "Add what a seed describes, as a whole; nothing of one that contradicts the state",
      input: seedSchema,
      output: done,
    }),
    reset: call({
      summary: "Back to the state of the start; faults, log and limits too",
      input: nothing,
      output: done,
    }),
  },
  time: {
    read: call({ summary: "The emulator's time", input: nothing, output: moment }),
    advance: call({
      summary: "Let time pass at once: lives go on, limit windows end, delays elapse",
      input: z.strictObject({ ms: z.number().min(0) }),
      output: moment,
    }),
  },
  settings: {
    read: call({ summary: "How the emulator behaves", input: nothing, output: settingsSchema }),
    patch: call({ summary: "Change how the emulator behaves", input: settingsChangeSchema, output: settingsSchema }),
  },
} as const;

/** What the control calls act on. */
export interface ControlParts extends RequestParts {
  readonly world: World;
  /** brings the world back to its start */
  readonly resetWorld: () => void;
}

export function stateControl(parts: ControlParts): Implementations<typeof stateCalls> {
  const { world, faults, requests, limiter, resetWorld } = parts;
  return {
    state: {
      read: () => readState(world),
      seed: (seed) => applySeed(world, seed),
      reset: () => {
        resetWorld();
        faults.clear();
        requests.clear();
        limiter.reset();
      },
    },
    time: {
      read: () => now(world),
      advance: ({ ms }) => {
        if (world.clock.now() + ms > LATEST_MS) throw badRequest("ms: the emulator's time ends with the year 9999");
        world.clock.advance(ms);
        return now(world);
      },
    },
    settings: {
      read: () => world.settings,
      patch: (change) => {
        changeSettings(world, change);
        return world.settings;
      },
    },
  };
}

function now(world: World): z.output<typeof moment> {
  const nowMs = world.clock.now();
  return { now: new Date(nowMs).toISOString(), nowMs };
}
