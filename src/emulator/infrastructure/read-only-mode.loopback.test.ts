import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const FIFTEEN_MINUTES = 900_000;

const off = { enabled: false, override_enabled: false, override_active_until: "" };

describe("the read-only mode", () => {
  it.each([
    { usedPercent: 94, enabled: false },
    { usedPercent: 95, enabled: true },
    { usedPercent: 100, enabled: true },
  ])("is on: $enabled, with $usedPercent percent of the disk used", async ({ usedPercent, enabled }) => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF, diskUsedPercent: usedPercent }] },
    });
    await using client = typedClient(under);
    expect(await client.readOnlyMode.get({ ref: REF })).toEqual({ ...off, enabled });
  });

  it("begins when the disk gets full, and ends when it has grown", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF }] },
      timings: { diskApplyMs: 3000 },
    });
    await using client = typedClient(under);
    const enabled = async () => (await client.readOnlyMode.get({ ref: REF })).enabled;
    expect(await enabled()).toBe(false);
    await under.control.disk.fill({ ref: REF, usedPercent: 99 });
    expect((await client.disk.utilization({ ref: REF })).metrics.fs_used_bytes).toBe(Math.ceil(8 * 1024 ** 3 * 0.99));
    expect(await enabled()).toBe(true);
    await client.disk.update({ ref: REF, body: { attributes: { type: "gp3", iops: 3000, size_gb: 16 } } });
    expect(await enabled()).toBe(true);
    under.clock.advance(3000);
    expect(await enabled()).toBe(false);
  });

  it("is set aside for 15 minutes, at any speed, and says until when", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF, diskUsedPercent: 97 }] },
      speed: 100,
    });
    await using client = typedClient(under);
    await client.readOnlyMode.disableTemporarily({ ref: REF });
    const active = { enabled: true, override_enabled: true, override_active_until: "2026-01-01T00:15:00.000Z" };
    expect(await client.readOnlyMode.get({ ref: REF })).toEqual(active);
    under.clock.advance(FIFTEEN_MINUTES - 1);
    expect(await client.readOnlyMode.get({ ref: REF })).toEqual(active);
    under.clock.advance(1);
    expect(await client.readOnlyMode.get({ ref: REF })).toEqual({ ...off, enabled: true });
  });

  it("can be set aside again: the 15 minutes begin anew", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    await using client = typedClient(under);
    await client.readOnlyMode.disableTemporarily({ ref: REF });
    under.clock.advance(600_000);
    await client.readOnlyMode.disableTemporarily({ ref: REF });
    expect(await client.readOnlyMode.get({ ref: REF })).toEqual({
      enabled: false,
      override_enabled: true,
      override_active_until: "2026-01-01T00:25:00.000Z",
    });
  });
});
