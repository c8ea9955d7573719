import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { seedFrom } from "../support/seed.ts";
import { soak } from "../support/soak/soak.ts";
import { startSoakPlane } from "../support/soak/world.ts";

/**
 * The soak: hours in which people edit and meddle while everything fails, on a clock that operators and platform share. `SOAK_SEED` plays one
 * seed again, `SOAK_HOURS` says how long each lasts.
 */

const hours = Number(process.env["SOAK_HOURS"] ?? 3);
const long = hours >= 10;
const FIXED = [1, 3];
const one = seedFrom("SOAK_SEED");
const seeds = process.env["SOAK_SEED"] === undefined ? [...FIXED, one] : [one];

/** What the heap may grow by between the first third and the end, bytes: the emulator and the tests are in this process too. */
const GROWTH_BYTES = 24 * 2 ** 20;

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startSoakPlane();
});

afterAll(() => plane.stop());

describe("hours of edits, meddling and failures", () => {
  it.each(seeds)("end as the model says, at every rest between: seed %i", async (seed) => {
    console.log(`SOAK_SEED=${seed} SOAK_HOURS=${hours}`);
    const beganMs = performance.now();
    const {
      rounds,
      hours: passed,
      hits,
      heap,
      series,
    } = await soak({
      plane,
      seed,
      hours,
      rare: long,
      ...(process.env["SOAK_TELL"] === undefined ? {} : { tell: (line) => console.log(line) }),
    });
    const megabytes = heap.map((bytes) => (bytes / 2 ** 20).toFixed(0));
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(0);
    console.log(`seed ${seed}: ${rounds} rounds, ${passed.toFixed(1)} h in ${seconds} s; ${JSON.stringify(hits)}`);
    console.log(`seed ${seed}: heap after each round, MB: ${megabytes.join(" ")}; series: ${series.join(" ")}`);
    const third = heap[Math.floor(heap.length / 3)] ?? 0;
    expect((heap.at(-1) ?? 0) - third).toBeLessThan(GROWTH_BYTES);
  });
});
