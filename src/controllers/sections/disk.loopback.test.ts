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
    expect(await stage.calls()).toEqual(["disk.get", "disk.autoscale", "disk.get", "disk.update", "disk.get"]);
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
    const waits = { kind: "waiting", retryAfterMs: 6 * 3_600_000 };
    expect(await stage.start({ disk: { sizeGb: size + 20 } })).toMatchObject(waits);
    expect(stage.entry("disk")).toMatchObject({ state: "Waiting" });
    await stage.theatre.pass(waits.retryAfterMs);
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    expect((await attributes()).size_gb).toBe(size + 20);
  });

  describe("of type io2", () => {
    const COOL_DOWN_MS = 6 * 3_600_000;

    beforeEach(async () => {
      const { iops, size_gb } = await attributes();
      const body = { attributes: { type: "io2", iops, size_gb } } as const;
      await stage.client.disk.update({ ref: stage.ref, body });
      await stage.theatre.pass(COOL_DOWN_MS);
      await stage.calls();
    });

    const writes = async () => (await stage.calls()).filter((operation) => operation === "disk.update");

    it("has no throughput to be set: what else is due is written once, and that field alone is refused, with what to write instead", async () => {
      const before = await attributes();
      const spec = { disk: { throughputMibps: 250, sizeGb: before.size_gb + 10 }, dataApi: { maxRows: 77 } };
      expect(await stage.apply(spec)).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
      expect(stage.entry("disk")).toMatchObject({
        state: "Failed",
        fields: ["spec.disk.throughputMibps"],
        message: expect.stringMatching(/^spec[.]disk[.]throughputMibps: .*write type: GP3 too, or remove/u),
      });
      expect(stage.entry("dataApi")).toMatchObject({ state: "InSync" });
      for (let look = 0; look < 4; look += 1) {
        await stage.theatre.pass(600_000);
        await stage.run();
      }
      expect(await writes()).toEqual(["disk.update"]);
      expect(await attributes()).toEqual({ ...before, size_gb: before.size_gb + 10 });
      expect(stage.condition("Converging")).toBeUndefined();
    });

    it("grows on under a throughput that was refused", async () => {
      const { size_gb: size } = await attributes();
      await stage.apply({ disk: { throughputMibps: 250 } });
      expect(await writes()).toEqual([]);
      await stage.apply({ disk: { throughputMibps: 250, sizeGb: size + 10 } });
      expect((await attributes()).size_gb).toBe(size + 10);
    });

    it.each([
      { driftPolicy: "Report", left: { reported: ["spec.disk.iops"] }, drifted: "True" },
      { driftPolicy: "Ignore", left: { ignored: ["spec.disk.iops"] }, drifted: undefined },
    ])(
      "is left as somebody made it beside a refused throughput, under $driftPolicy",
      async ({ driftPolicy, left, drifted }) => {
        const { iops, size_gb: size } = await attributes();
        await stage.apply({ driftPolicy, disk: { throughputMibps: 250, iops, sizeGb: size + 10 } });
        await stage.theatre.pass(COOL_DOWN_MS);
        const body = { attributes: { type: "io2", iops: iops + 500, size_gb: size + 10 } } as const;
        await stage.client.disk.update({ ref: stage.ref, body });
        await stage.theatre.pass(COOL_DOWN_MS);
        await stage.calls();
        for (let look = 0; look < 2; look += 1) {
          expect(await stage.run()).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
        }
        expect(await writes()).toEqual([]);
        expect((await attributes()).iops).toBe(iops + 500);
        expect(stage.entry("disk")).toMatchObject({
          state: "Failed",
          reason: "InvalidSpec",
          left,
          refused: { fields: ["spec.disk.throughputMibps"] },
        });
        expect(stage.condition("Drifted")?.status).toBe(drifted);
      },
    );

    it("that it became after the look is asked for nothing without the throughput", async () => {
      const { iops, size_gb } = await attributes();
      const body = { attributes: { type: "gp3", iops, size_gb, throughput_mibps: 125 } };
      const fault = { kind: "status", status: 200, body } as const;
      await stage.theatre.emulator.control.faults.add({ operation: "disk.get", count: 1, fault });
      expect(await stage.start({ disk: { throughputMibps: 250 } })).toMatchObject({ reason: "InvalidSpec" });
      expect(await writes()).toEqual([]);
    });

    it("takes it together with the type, in one request", async () => {
      await stage.apply({ disk: { throughputMibps: 250 } });
      expect(await stage.apply({ disk: { type: "GP3", throughputMibps: 250 } })).toMatchObject({ kind: "done" });
      expect(await writes()).toEqual(["disk.update"]);
      expect(await attributes()).toMatchObject({ type: "gp3", throughput_mibps: 250 });
    });

    it.each(["Correct", "Report"])(
      "has it as soon as somebody makes it one of type gp3, under %s",
      async (driftPolicy) => {
        await stage.apply({ driftPolicy, disk: { throughputMibps: 250 } });
        const { iops, size_gb } = await attributes();
        await stage.client.disk.update({ ref: stage.ref, body: { attributes: { type: "gp3", iops, size_gb } } });
        await stage.calls();
        expect(await stage.run("change")).toMatchObject({ kind: "waiting" });
        expect(await writes()).toEqual(["disk.update"]);
        await stage.theatre.pass(COOL_DOWN_MS);
        expect(await stage.run()).toMatchObject({ kind: "done" });
        expect(await attributes()).toMatchObject({ type: "gp3", throughput_mibps: 250 });
      },
    );
  });
});
