import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const attributes = async () => (await stage.client.disk.get({ ref: stage.ref })).attributes;

describe("the disk", () => {
  it("is written whole with what is declared, and how it grows by itself stands in the status", async () => {
    const before = await attributes();
    await stage.calls();
    await stage.apply({ disk: { sizeGb: before.size_gb + 10 } });
    expect(await stage.calls()).toEqual([
      "disk.get",
      "disk.autoscale",
      "disk.get",
      "disk.update",
      "disk.get",
      "disk.autoscale",
    ]);
    expect(await attributes()).toEqual({ ...before, size_gb: before.size_gb + 10 });
    expect(stage.stored().diskAutoscale).toBeDefined();
  });

  it("that is larger than declared is left as it is: no disk shrinks", async () => {
    const { size_gb: size } = await attributes();
    await stage.calls();
    expect(await stage.apply({ disk: { sizeGb: size - 1 } })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual(["disk.get", "disk.autoscale"]);
  });

  it("rests after a change: another one waits for the platform's words to pass, and is made then", async () => {
    const { size_gb: size } = await attributes();
    await stage.apply({ disk: { sizeGb: size + 10 } });
    expect(await stage.start({ disk: { sizeGb: size + 20 } })).toMatchObject({ kind: "waiting" });
    expect(stage.entry("disk")).toMatchObject({ state: "Waiting" });
    await stage.theatre.pass(6 * 3_600_000);
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    expect((await attributes()).size_gb).toBe(size + 20);
  });
});
