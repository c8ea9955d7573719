import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const unwell = (): Promise<unknown> =>
  stage.theatre.emulator.control.services.trouble({ ref: stage.ref, service: "storage", status: "UNHEALTHY" });

describe("sections of a project with a service that is not well", () => {
  it("wait until it is, where none was written before", async () => {
    await unwell();
    expect(await stage.start({ dataApi: { maxRows: 50 } })).toMatchObject({ kind: "waiting", reason: "Unhealthy" });
    expect(await stage.calls()).toEqual([]);
    expect(stage.entry("dataApi")).toBeUndefined();
  });

  it("are edited all the same where one was: it may be what makes the service unwell", async () => {
    await stage.apply({ realtime: { maxConcurrentUsers: 1 } });
    await unwell();
    await stage.calls();
    expect(await stage.start({ realtime: { maxConcurrentUsers: 900 } })).toMatchObject({
      kind: "waiting",
      reason: "Unhealthy",
    });
    expect(await stage.calls()).toEqual(["realtime.get", "realtime.update", "realtime.get"]);
  });
});
