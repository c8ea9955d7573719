import { describe, expect, it } from "vitest";
import { CreatingWorld, DEADLINE_MS, Refused, START_MS } from "../../../test/support/controllers/creating-world.ts";
import { INTENT_MARGIN_MS } from "./create-once.ts";

/** How long an object is in doubt over a create whose answer was lost, and what ends that (create-once.ts). */

describe("an object whose create got no answer", () => {
  it.each([{ fate: "refused" as const }, { fate: "unsent" as const }])(
    "is in doubt no longer for a request of which certainly nothing came ($fate)",
    async ({ fate }) => {
      const world = new CreatingWorld(true);
      await world.run("dropped");
      const asked = world.intent;
      world.pass(INTENT_MARGIN_MS);
      if (fate === "unsent") {
        world.requireName = () => {
          if (world.intent !== asked) throw new Error("another object recorded one at the same time");
        };
      }
      await world.run("refused");
      expect(world.intent).toBe(asked);
    },
  );

  it("is over what it asked for, as what, when by the server's clock, and for which object", async () => {
    const world = new CreatingWorld(false);
    world.pass(1234);
    await world.run("unsent");
    const time = new Date(START_MS + 1234).toISOString();
    expect(world.intent).toEqual({ name: "a", fingerprint: "f", time, uid: "uid" });
  });

  it("takes nothing that came long after the only request that may have had an effect", async () => {
    const world = new CreatingWorld(true);
    await world.run("dropped");
    for (let n = 0; n < 60; n += 1) {
      world.pass(INTENT_MARGIN_MS);
      await world.run("refused");
    }
    world.foreign("a");
    expect(await world.run("answered")).toMatchObject({ reason: "Conflict" });
    expect([world.has, world.intent]).toEqual([undefined, undefined]);
  });

  it.each([
    { after: "in doubt", ms: 0 },
    { after: "over", ms: 2 * INTENT_MARGIN_MS },
  ])("takes nothing over that another object has by now, whatever it asked for itself ($after)", async ({ ms }) => {
    const world = new CreatingWorld(true);
    world.foreign("a");
    world.pass(INTENT_MARGIN_MS + 1);
    world.intent = { name: "a", fingerprint: "f", time: new Date(world.nowMs).toISOString(), uid: "uid" };
    world.pass(ms);
    world.requireName = () => {
      throw new Refused();
    };
    expect(await world.run("answered", true)).toBeInstanceOf(Refused);
  });

  it("waits no longer for a request whose time a clock told that was hours ahead, and makes no second thing of it", async () => {
    const world = new CreatingWorld(false);
    await world.run("late");
    world.intent = world.intent && { ...world.intent, time: new Date(world.nowMs + 36_000_000).toISOString() };
    expect(await world.run("answered")).toMatchObject({ reason: "ConfirmingAbsence" });
    world.pass(DEADLINE_MS);
    expect(await world.run("answered")).toBe("recovered");
    expect(world.things).toEqual([world.has]);
  });

  it("goes on where nothing came of such a request", async () => {
    const world = new CreatingWorld(false);
    await world.run("dropped");
    world.intent = world.intent && { ...world.intent, time: new Date(world.nowMs + 36_000_000).toISOString() };
    await world.run("answered");
    world.pass(DEADLINE_MS + INTENT_MARGIN_MS);
    expect(await world.run("answered")).toBe("created");
  });

  it.each([{ name: "a" }, { name: "b" }])(
    "looks once more where a doubt ended while it looked, before it makes anything (declared by now: $name)",
    async ({ name }) => {
      const world = new CreatingWorld(false);
      await world.run("dropped");
      world.name = name;
      world.pass(DEADLINE_MS + INTENT_MARGIN_MS - 1);
      world.onLook = () => world.pass(1);
      expect(await world.run("answered")).toMatchObject({ reason: "ConfirmingAbsence", retryAfterMs: 1 });
      expect(await world.run("answered")).toBe("created");
    },
  );
});
