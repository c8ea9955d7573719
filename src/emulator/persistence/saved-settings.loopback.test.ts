import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../emulator.ts";
import { startEmulator } from "../emulator.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-settings-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Start = Pick<EmulatorOptions, "speed" | "limits" | "timings" | "seed">;
type Control = Awaited<ReturnType<typeof startEmulator>>["control"];

/** One start on the folder. @returns the settings as it ends */
async function settingsOf(start: Start, during: (control: Control) => Promise<unknown> = () => Promise.resolve()) {
  const emulator = await startEmulator({ dataDir: folder, tokens: ["T"], ...start });
  try {
    await during(emulator.control);
    return await emulator.control.settings.read();
  } finally {
    await emulator.stop();
  }
}

describe("the settings that a folder keeps", () => {
  it.each<{ readonly how: string; readonly start: Start; readonly patched: boolean }>([
    { how: "seeded", start: { seed: { settings: { speed: 30 } } }, patched: false },
    { how: "patched", start: {}, patched: true },
  ])("are those that were $how, whatever a start in between was told", async ({ start, patched }) => {
    const kept = await settingsOf(start, async (control) => {
      if (patched) await control.settings.patch({ speed: 30 });
    });
    expect(kept).toMatchObject({ speed: 30, requestsPerMinute: 120 });
    const told: Start = { speed: 50, limits: { requestsPerMinute: 0, retryAfter: "always" }, timings: { bundleMs: 7 } };
    expect(await settingsOf(told)).toMatchObject({
      speed: 50,
      requestsPerMinute: 0,
      retryAfter: "always",
      timings: { bundleMs: 7, comingUpMs: kept.timings.comingUpMs },
    });
    expect(await settingsOf({})).toEqual(kept);
  });

  it("are not what the first start was told, which goes before the seed while it runs", async () => {
    const first: Start = { speed: 50, limits: { requestsPerMinute: 0 }, seed: { settings: { speed: 30 } } };
    expect(await settingsOf(first)).toMatchObject({ speed: 50, requestsPerMinute: 0 });
    expect(await settingsOf({})).toMatchObject({ speed: 30, requestsPerMinute: 120 });
  });

  it("are what was patched, also where the start was told something else: at once, and at the next start", async () => {
    const patch = (control: Control) => control.settings.patch({ speed: 20, timings: { bundleMs: 9 } });
    const told: Start = { speed: 50, timings: { bundleMs: 7, comingUpMs: 8 } };
    expect(await settingsOf(told, patch)).toMatchObject({ speed: 20, timings: { bundleMs: 9, comingUpMs: 8 } });
    expect(await settingsOf({})).toMatchObject({ speed: 20, timings: { bundleMs: 9, comingUpMs: 5000 } });
  });

  it("are those of the start again after a reset, and what it was told goes before them", async () => {
    const reset = async (control: Control): Promise<void> => {
      await control.settings.patch({ speed: 20 });
      await control.state.reset();
    };
    expect(await settingsOf({ speed: 50, seed: { settings: { speed: 30 } } }, reset)).toMatchObject({ speed: 50 });
    expect(await settingsOf({})).toMatchObject({ speed: 30 });
  });
});
