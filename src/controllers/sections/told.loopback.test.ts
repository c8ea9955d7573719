import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LogLine, logLines } from "../../../test/support/runtime/log-lines.ts";
import { readings, type Readings } from "../../../test/support/runtime/readings.ts";
import { type Lever, nested } from "../../../test/support/sections/lever.ts";
import { levers } from "../../../test/support/sections/levers.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { sectionNames } from "./sections.ts";

/** What is told of the writes of a section: an event and a line of the log with the fields and without their values, and a number in the metrics. */

let stage: SectionStage;
let lines: readonly LogLine[];
let read: Readings["read"];

beforeEach(async () => {
  const told = logLines();
  const counted = readings();
  lines = told.lines;
  read = (...of) => counted.read(...of);
  stage = await openSectionStage(
    { seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } },
    { log: told.log, meter: counted.meter },
  );
});

afterEach(() => stage[Symbol.asyncDispose]());

const writes = (section: string): number => read("baas_section_writes_total", { kind: "Project", section });
const told = (section: string): readonly string[] =>
  stage.life.events
    .filter(({ note }) => note.startsWith(`changed ${section}:`))
    .map(({ reason, note }) => `${reason} ${note}`);
const logged = (section: string): readonly unknown[] =>
  lines.filter(({ message }) => message === `changed ${section}`).map(({ fields }) => fields["fields"]);

/** One of each section that writes. */
const one = [...new Map(levers.map((lever) => [lever.section, lever])).values()];
/** Sections that no lever moves: written only on request, and what nothing tells of. Of auth, below. */
const OTHERS = ["auth", "database.webhooksEnabled", "encryptionRootKey"];

describe("a write", () => {
  it("is tried of every section", () => {
    expect([...one.map(({ section }) => section), ...OTHERS].toSorted()).toEqual(sectionNames.toSorted());
  });

  it.each(one)("of $section is told once, with its field, and so is a repair", async (lever: Lever) => {
    const { section, path, mine, restMs = 60_001, spec = (declared) => nested(path, declared) } = lever;
    const field = `spec.${lever.told ?? path}`;
    await lever.prepare?.(stage);
    await lever.byHand(stage);
    await stage.theatre.pass(restMs);
    await stage.start(spec(mine.declared));
    expect([told(section), logged(section), writes(section)]).toEqual([
      [`Updated changed ${section}: ${field}`],
      [[field]],
      1,
    ]);
    await lever.afterwards?.by(stage);
    await stage.life.settle("Project", "shop");
    const before = writes(section);
    await stage.theatre.pass(restMs);
    await lever.byHand(stage);
    await stage.theatre.pass(restMs);
    const corrected = read("baas_drift_total", { kind: "Project", action: "corrected" });
    await stage.run();
    expect(writes(section) - before).toBe(1);
    expect(read("baas_drift_total", { kind: "Project", action: "corrected" }) - corrected).toBe(1);
    expect(stage.life.events.map(({ reason, note }) => `${reason} ${note}`)).toContain(
      `DriftCorrected the remote side differed and was repaired: ${field}`,
    );
    await stage.run();
    expect(writes(section) - before).toBe(1);
  });

  it("of what cannot be read is told once", async () => {
    const fault = { kind: "status", status: 201, body: {} } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "database.enableWebhooks", count: null, fault });
    await stage.apply({ database: { webhooksEnabled: true } });
    await stage.run();
    const section = "database.webhooksEnabled";
    expect([told(section), logged(section), writes(section)]).toEqual([
      [`Updated changed ${section}: spec.${section}`],
      [[`spec.${section}`]],
      1,
    ]);
  });

  it("of secrets and of what else is declared tells no value, of whatever section", async () => {
    const password = { secretKeyRef: { name: "mail", key: "password" } };
    stage.putSecret("mail", { password: "canary-of-a-secret" });
    await stage.apply({
      auth: { smtp: { host: "canary.of.a.host", password }, siteUrl: "https://canary.of.a.site" },
      dataApi: { extraSearchPath: ["canary_of_a_schema"] },
    });
    stage.putSecret("mail", { password: "canary-of-a-rotated-secret" });
    await stage.run("change");
    const fields = ["spec.auth.siteUrl", "spec.auth.smtp.host", "spec.auth.smtp.password"];
    expect(logged("auth")).toEqual([expect.arrayContaining(fields), ["spec.auth.smtp.password"]]);
    expect(told("auth")).toHaveLength(2);
    expect(writes("auth")).toBe(2);
    const texts = [lines, stage.life.events.map(({ reason, note }) => ({ reason, note })), stage.stored()];
    expect(JSON.stringify(texts)).not.toMatch(/canary/iu);
  });

  it("that is refused is no write, and is told as a condition", async () => {
    const body = { message: "no" };
    await stage.theatre.emulator.control.faults.add({
      operation: "storage.update",
      fault: { kind: "status", status: 400, body },
    });
    await stage.apply({ storage: { fileSizeLimit: "10Mi" } });
    expect([told("storage"), logged("storage"), writes("storage")]).toEqual([[], [], 0]);
    expect(stage.condition("Stalled")?.message).toContain("storage: could not change the storage settings: no");
  });
});
