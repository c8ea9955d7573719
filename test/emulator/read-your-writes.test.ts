import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeedInput } from "../../src/emulator/state/seed.ts";
import { emulatorUnderTest } from "../support/emulator/api.ts";
import { REF, Session } from "../support/emulator/models/resource.ts";
import { settings } from "../support/emulator/models/settings.ts";
import { things } from "../support/emulator/models/things.ts";

const seed: SeedInput = {
  organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }],
  projects: [{ name: "shop", ref: REF }],
};
const resources = [...settings, ...things];

describe("after any sequence of writes", () => {
  it("a read shows what was accepted, and nothing of what was refused", { timeout: 240_000 }, async () => {
    let accepted = 0;
    let refused = 0;
    const commands = fc.commands(
      resources.map((resource) => resource.commands),
      { maxCommands: 60, size: "max" },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        await using under = await emulatorUnderTest({ seed, limits: { requestsPerMinute: 0 } });
        under.clock.advance(3_600_000);
        const session = new Session();
        await fc.asyncModelRun(() => ({ model: session, real: under }), sequence);
        // and what was written to one is seen at none of the others
        for (const resource of resources) await resource.expectShown(session, under);
        accepted += session.accepted;
        refused += session.refused;
      }),
      { numRuns: 40 },
    );
    expect(accepted, "of each there have to be many").toBeGreaterThan(200);
    expect(refused, "of each there have to be many").toBeGreaterThan(50);
  });
});
