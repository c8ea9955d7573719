import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** An event says of each restart of the database that a change of the spec brings which fields needed it: people see connections end. */

const CONNECTIONS = "spec.database.settings.maxConnections";
const SSL = "spec.database.ssl.enforced";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

function told(): readonly string[] {
  return stage.life.events.filter(({ reason }) => reason === "Restarting").map(({ type, note }) => `${type} ${note}`);
}

describe("a restart of the database", () => {
  it("is told with the settings that need it, and not with those beside them that do not", async () => {
    await stage.apply({ database: { settings: { maxConnections: 50, logDuration: true } } });
    expect(told()).toEqual([`Normal the database restarts for what was changed: ${CONNECTIONS}`]);
  });

  it("is told with all that it serves", async () => {
    await stage.apply({ database: { settings: { maxConnections: 50 }, ssl: { enforced: true } } });
    expect(told()).toEqual([
      `Normal the database restarts for what was changed: ${SSL}`,
      `Normal the database restarts for what was changed before: ${CONNECTIONS}`,
    ]);
  });

  it("is told where it is made by itself, as what was to bring it is refused", async () => {
    const { faults } = stage.theatre.emulator.control;
    const fault = { kind: "status", status: 400, body: { message: "no" } } as const;
    await faults.add({ operation: "sslEnforcement.update", fault });
    await stage.apply({ database: { settings: { maxConnections: 50 }, ssl: { enforced: true } } });
    expect(told()).toEqual([`Normal restarted the database for database.settings: ${CONNECTIONS}`]);
  });

  it.each([
    { why: "nothing of it needs one", database: { settings: { logDuration: true } } },
    { why: "settingsRestart forbids it", database: { settings: { maxConnections: 50 }, settingsRestart: "Never" } },
  ])("is not told where there is none: $why", async ({ database }) => {
    await stage.apply({ database });
    expect(told()).toEqual([]);
  });
});
