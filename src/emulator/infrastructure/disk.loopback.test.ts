import { describe, expect, it } from "vitest";
import type { SeedInput } from "../state/seed.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/config/disk`;
const GB = 1024 ** 3;
const SIX_HOURS = 6 * 3_600_000;

const seed: SeedInput = { projects: [{ name: "shop", ref: REF }] };
const timings = { diskApplyMs: 3000 };
const bigger = { attributes: { type: "gp3", iops: 4000, size_gb: 20, throughput_mibps: 250 } } as const;

describe("the disk of a project", () => {
  it("is 8 GB of gp3, as old as the project, an eighth of it used, and grows by itself", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    expect(await client.disk.get({ ref: REF })).toEqual({
      attributes: { type: "gp3", iops: 3000, size_gb: 8, throughput_mibps: 125 },
      last_modified_at: "2026-01-01T00:00:00.000Z",
    });
    expect(await client.disk.utilization({ ref: REF })).toEqual({
      timestamp: "2026-01-01T00:00:00.000Z",
      metrics: { fs_size_bytes: 8 * GB, fs_avail_bytes: 7 * GB, fs_used_bytes: GB },
    });
    expect(await client.disk.autoscale({ ref: REF })).toEqual({
      growth_percent: 50,
      min_increment_gb: 4,
      max_size_gb: 60_000,
    });
  });

  it("grows by itself as a seed says, and as it did where the seed says nothing", async () => {
    const diskAutoscale = { growthPercent: null, minIncrementGb: 10 };
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF, diskAutoscale }] } });
    await using client = typedClient(under);
    expect(await client.disk.autoscale({ ref: REF })).toEqual({
      growth_percent: null,
      min_increment_gb: 10,
      max_size_gb: 60_000,
    });
  });

  it("has its new attributes at once; its database is RESIZING until the file system has grown too", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    under.clock.advance(1000);
    await client.disk.update({ ref: REF, body: bigger });
    expect(await client.disk.get({ ref: REF })).toEqual({ ...bigger, last_modified_at: "2026-01-01T00:00:01.000Z" });
    const sizes = async () => ({
      project: (await client.projects.get({ ref: REF })).status,
      database: (await client.organizations.listProjects({ slug: "acme" })).projects[0]?.databases?.[0],
      fileSystem: (await client.disk.utilization({ ref: REF })).metrics.fs_size_bytes,
    });
    const database = { disk_volume_size_gb: 20, disk_type: "gp3", disk_throughput_mbps: 250 };
    under.clock.advance(2999);
    expect(await sizes()).toMatchObject({
      project: "ACTIVE_HEALTHY",
      database: { ...database, status: "RESIZING", disk_last_modified_at: "2026-01-01T00:00:01.000Z" },
      fileSystem: 8 * GB,
    });
    under.clock.advance(1);
    expect(await sizes()).toMatchObject({ database: { ...database, status: "ACTIVE_HEALTHY" }, fileSystem: 20 * GB });
  });

  it.each([
    {
      why: "from gp3 to io2, which has no throughput",
      changes: [{ type: "io2", iops: 9000, size_gb: 8 }],
      left: { type: "io2", iops: 9000, size_gb: 8 },
    },
    {
      why: "and back, to the throughput that every gp3 disk begins with",
      changes: [
        { type: "io2", iops: 9000, size_gb: 8 },
        { type: "gp3", iops: 3000, size_gb: 8 },
      ],
      left: { type: "gp3", iops: 3000, size_gb: 8, throughput_mibps: 125 },
    },
    {
      why: "without a word on the throughput, which stays",
      changes: [
        { type: "gp3", iops: 3000, size_gb: 8, throughput_mibps: 300 },
        { type: "gp3", iops: 5000, size_gb: 8 },
      ],
      left: { type: "gp3", iops: 5000, size_gb: 8, throughput_mibps: 300 },
    },
  ])("can be changed $why", async ({ changes, left }) => {
    await using under = await emulatorUnderTest({ seed });
    for (const attributes of changes) {
      expect((await under.call("POST", PATH, { body: { attributes } })).status).toBe(201);
      under.clock.advance(SIX_HOURS);
    }
    expect((await under.call("GET", PATH)).json).toMatchObject({ attributes: left });
  });

  it("is not changed again for six hours, at any speed, and says until when", async () => {
    await using under = await emulatorUnderTest({ seed, speed: 100 });
    await using client = typedClient(under);
    await client.disk.update({ ref: REF, body: bigger });
    under.clock.advance(SIX_HOURS - 1);
    const again = { attributes: { ...bigger.attributes, size_gb: 30 } };
    const refused = await under.call("POST", PATH, { body: again });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("2026-01-01T06:00:00.000Z")]);
    under.clock.advance(1);
    await client.disk.update({ ref: REF, body: again });
    expect((await client.disk.get({ ref: REF })).attributes).toEqual(again.attributes);
  });

  it("is not changed, and does not rest, when it is asked to be what it is", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    await client.disk.update({ ref: REF, body: { attributes: { type: "gp3", iops: 3000, size_gb: 8 } } });
    await client.disk.update({ ref: REF, body: bigger });
    expect((await client.disk.get({ ref: REF })).attributes.size_gb).toBe(20);
  });

  it.each([
    { why: "it cannot shrink", attributes: { type: "gp3", iops: 3000, size_gb: 7 }, says: "at least 8, received 7" },
    { why: "nothing is 0", attributes: { type: "gp3", iops: 0, size_gb: 8 }, says: "iops" },
    { why: "a size is whole", attributes: { type: "gp3", iops: 3000, size_gb: 8.5 }, says: "size_gb" },
    {
      why: "io2 has no throughput",
      attributes: { type: "io2", iops: 1, size_gb: 8, throughput_mibps: 1 },
      says: "throughput_mibps",
    },
    { why: "there are two types", attributes: { type: "gp2", iops: 1, size_gb: 8 }, says: "type" },
    { why: "all attributes are wanted", attributes: { type: "gp3", iops: 3000 }, says: "size_gb" },
  ])("is not changed: $why", async ({ attributes, says }) => {
    await using under = await emulatorUnderTest({ seed });
    const refused = await under.call("POST", PATH, { body: { attributes } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect((await under.call("GET", PATH)).json).toMatchObject({ attributes: { size_gb: 8, iops: 3000 } });
  });
});
