import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe("a section", () => {
  it("is read once, written once with the declared fields alone, and then left alone", async () => {
    expect(await stage.apply({ dataApi: { maxRows: 50 } })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual(["dataApi.get", "dataApi.update"]);
    expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
    expect(await stage.client.dataApi.get({ ref: stage.ref })).toMatchObject({
      max_rows: 50,
      db_schema: "public,graphql_public",
    });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual(["dataApi.get"]);
  });

  it("is repaired where somebody changed a declared field, and not where it is another one", async () => {
    const { client, ref } = stage;
    await stage.apply({ realtime: { maxConcurrentUsers: 77 } });
    await client.realtime.update({ ref, body: { max_concurrent_users: 5, max_channels_per_client: 9 } });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual(["realtime.get", "realtime.update", "realtime.get"]);
    expect(await client.realtime.get({ ref })).toMatchObject({ max_concurrent_users: 77, max_channels_per_client: 9 });
    expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
  });

  it("is left as it is when it is taken out of the spec", async () => {
    const { client, ref } = stage;
    await stage.apply({ storage: { fileSizeLimit: "10Mi" } });
    expect(await client.storage.get({ ref })).toMatchObject({ fileSizeLimit: 10_485_760 });
    await stage.calls();
    await stage.apply({});
    expect(await stage.calls()).toEqual([]);
    expect(stage.entry("storage")).toBeUndefined();
    expect(await client.storage.get({ ref })).toMatchObject({ fileSizeLimit: 10_485_760 });
  });

  it("is not looked at for an edit of another one", async () => {
    await stage.apply({ dataApi: { maxRows: 50 } });
    await stage.calls();
    await stage.apply({ dataApi: { maxRows: 50 }, database: { pooler: { poolMode: "Session" } } });
    expect(await stage.calls()).toEqual(["pooler.get", "pooler.update"]);
  });

  it("is reported and not written where driftPolicy is Report", async () => {
    const { client, ref } = stage;
    await stage.apply({ driftPolicy: "Report", dataApi: { maxRows: 50 } });
    expect(await stage.calls()).toEqual(["dataApi.get", "dataApi.update"]); // an edit
    await client.dataApi.update({ ref, body: { max_rows: 10 } });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual(["dataApi.get"]);
    expect(stage.entry("dataApi")).toMatchObject({ state: "Drifted", fields: ["spec.dataApi.maxRows"] });
    expect(stage.condition("Drifted")).toMatchObject({
      status: "True",
      message: "differs remotely: spec.dataApi.maxRows",
    });
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
  });

  it("that fails holds up no other one, and ends Ready as false with its words", async () => {
    const { emulator } = stage.theatre;
    await emulator.control.faults.add({
      operation: "storage.update",
      fault: { kind: "status", status: 400, body: { message: "no such limit" } },
    });
    const outcome = await stage.apply({ storage: { fileSizeLimit: "10Mi" }, dataApi: { maxRows: 50 } });
    expect(outcome).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
    expect(stage.entry("storage")).toMatchObject({ state: "Failed", reason: "Rejected" });
    expect(stage.condition("Ready")).toMatchObject({ status: "False", reason: "Rejected" });
  });
});
