import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** spec.dataApi.enabled: the endpoint has no switch, and is off where it serves no schema. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const READ = "dataApi.get";
const WRITE = "dataApi.update";

async function schemas(): Promise<string> {
  const { db_schema: found } = await stage.client.dataApi.get({ ref: stage.ref });
  await stage.calls();
  return found;
}

async function byHand(db_schema: string): Promise<void> {
  await stage.client.dataApi.update({ ref: stage.ref, body: { db_schema } });
  await stage.calls();
}

/** What was asked for to change the settings. */
async function writes(): Promise<readonly string[]> {
  return (await stage.calls()).filter((operation) => operation === WRITE);
}

describe("the Data API", () => {
  it("is switched off by one write, found so, switched off again where somebody switched it on, and left when it is taken out", async () => {
    expect(await stage.apply({ dataApi: { enabled: false, maxRows: 50 } })).toMatchObject({ kind: "done" });
    expect(await writes()).toEqual([WRITE]);
    expect(await schemas()).toBe("");
    expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    await stage.run();
    // That tells as well that the service is off, and not unwell.
    expect(await stage.calls()).toEqual([READ]);
    await byHand("public");
    await stage.run();
    expect(await writes()).toEqual([WRITE]);
    expect(await schemas()).toBe("");
    const told = stage.life.events.findLast(({ reason }) => reason === "DriftCorrected");
    expect(told?.note).toContain("spec.dataApi.enabled");
    await stage.apply({});
    await byHand("public");
    await stage.run();
    expect(await writes()).toEqual([]);
    expect(await schemas()).toBe("public");
  });

  it("is switched on with the schemas that it serves, and again where somebody switched it off", async () => {
    await byHand("");
    expect(await stage.apply({ dataApi: { enabled: true, schemas: ["public", "api"] } })).toMatchObject({
      kind: "done",
    });
    expect(await writes()).toEqual([WRITE]);
    expect(await schemas()).toBe("public,api");
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
    await byHand("");
    await stage.run();
    expect(await schemas()).toBe("public,api");
  });

  it("that somebody switched on is told where drift is reported", async () => {
    await stage.apply({ dataApi: { enabled: false } });
    await stage.apply({ driftPolicy: "Report", dataApi: { enabled: false } });
    await byHand("public");
    await stage.run();
    expect(await writes()).toEqual([]);
    expect(stage.entry("dataApi")).toMatchObject({ state: "Drifted", fields: ["spec.dataApi.enabled"] });
  });

  it("serves the first schema where none is asked for, and searches in order: another order is another value", async () => {
    const put = (schemas: readonly string[], extraSearchPath: readonly string[]) =>
      stage.apply({ dataApi: { schemas, extraSearchPath } });
    const seen = async () => {
      const { db_schema: served, db_extra_search_path: searched } = await stage.client.dataApi.get({ ref: stage.ref });
      await stage.calls();
      return [served, searched.replaceAll(" ", "")]; // the platform writes blanks between them
    };
    await put(["public", "api"], ["public", "extensions"]);
    await stage.calls();
    await stage.run();
    expect(await writes()).toEqual([]);
    await put(["api", "public"], ["extensions", "public"]);
    expect(await writes()).toEqual([WRITE]);
    expect(await seen()).toEqual(["api,public", "extensions,public"]);
    await byHand("public,api");
    await stage.run();
    expect(await writes()).toEqual([WRITE]);
    expect(await seen()).toEqual(["api,public", "extensions,public"]);
  });

  it("of a platform that keeps an order of its own is written three times and then left, and told", async () => {
    const spec = { dataApi: { schemas: ["public", "api"] } };
    const answer = await stage.client.dataApi.get({ ref: stage.ref });
    const body = { ...answer, db_schema: "api,public" };
    for (const operation of [READ, WRITE] as const) {
      const fault = { kind: "status", status: 200, body } as const;
      await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
    }
    await stage.start(spec);
    for (let run = 0; run < 6; run += 1) {
      await stage.theatre.pass(60_000);
      await stage.run();
    }
    expect(await writes()).toHaveLength(3);
    expect(stage.entry("dataApi")).toMatchObject({ state: "Drifted", reason: "NotConverging" });
    expect(stage.condition("Converging")?.message).toContain("spec.dataApi.schemas");
  });
});
