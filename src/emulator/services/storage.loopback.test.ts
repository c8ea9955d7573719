import { describe, expect, it } from "vitest";
import { MOST_FILE_SIZE } from "../../api/contract/storage.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";

describe("the configuration of storage", () => {
  it("begins with 50 MiB a file, and keeps what a change does not say, within features too", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const fresh = await client.storage.get({ ref });
    expect(fresh.fileSizeLimit).toBe(52_428_800);
    await client.storage.update({
      ref,
      body: {
        fileSizeLimit: 1024,
        features: { imageTransformation: { enabled: true }, icebergCatalog: { enabled: true, maxTables: 3 } },
        external: { upstreamTarget: "canary" },
      },
    });
    expect(await client.storage.get({ ref })).toMatchObject({
      fileSizeLimit: 1024,
      features: {
        ...fresh.features,
        imageTransformation: { enabled: true },
        icebergCatalog: { ...fresh.features.icebergCatalog, enabled: true, maxTables: 3 },
      },
      capabilities: { iceberg_catalog: true },
      external: { upstreamTarget: "canary" },
    });
    const raw = await under.call("PATCH", `/v1/projects/${ref}/config/storage`, { body: {} });
    expect([raw.status, raw.text]).toEqual([200, ""]);
  });

  it.each([
    { body: { fileSizeLimit: -1 }, says: "fileSizeLimit", because: "less than nothing" },
    { body: { fileSizeLimit: MOST_FILE_SIZE + 1 }, says: "fileSizeLimit", because: "more than storage takes" },
    { body: { features: { imageTransformation: {} } }, says: "enabled", because: "a feature says whether it is on" },
    { body: { features: { teleport: { enabled: true } } }, says: "'teleport'", because: "the feature is unknown" },
    { body: { external: { upstreamTarget: "moon" } }, says: "received 'moon'", because: "the target is unknown" },
    { body: { capabilities: {} }, says: "'capabilities'", because: "what it can do is not for callers to set" },
  ])("refuses $body with 400: $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("PATCH", `/v1/projects/${ref}/config/storage`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it.each([
    { plan: "free", fileSizeLimit: 52_428_800, status: 200 },
    { plan: "free", fileSizeLimit: 52_428_801, status: 400 },
    { plan: "pro", fileSizeLimit: MOST_FILE_SIZE, status: 200 },
  ] as const)("answers $status for files of $fileSizeLimit bytes on the plan $plan", async (row) => {
    await using under = await emulatorUnderTest({
      seed: { organizations: [{ slug: "acme", plan: row.plan, members: { owner: "Owner" } }] },
    });
    const ref = await aProject(under);
    const body = { fileSizeLimit: row.fileSizeLimit };
    expect((await under.call("PATCH", `/v1/projects/${ref}/config/storage`, { body })).status).toBe(row.status);
  });

  it("is not found, with the code not_found, while a branch starts", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const made = await under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: "dev" } });
    const { project_ref: branchRef } = made.json as { project_ref: string };
    for (const method of ["GET", "PATCH"]) {
      const sent = method === "PATCH" ? { body: {} } : {};
      const early = await under.call(method, `/v1/projects/${branchRef}/config/storage`, sent);
      expect([early.status, early.json]).toEqual([404, { code: "not_found", message: expect.any(String) }]);
    }
    under.clock.advance(60_000);
    expect((await under.call("GET", `/v1/projects/${branchRef}/config/storage`)).status).toBe(200);
  });
});

describe("buckets", () => {
  it("are those of the seed and of control calls", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF, buckets: [{ name: "avatars", public: true }] }] },
    });
    await using client = typedClient(under);
    expect(await client.storage.listBuckets({ ref: REF })).toEqual([
      {
        id: "avatars",
        name: "avatars",
        owner: "",
        created_at: "2026-01-01T00:00:00.000Z",
        updated_at: "2026-01-01T00:00:00.000Z",
        public: true,
      },
    ]);
    under.clock.advance(1000);
    await under.control.storage.putBucket({ ref: REF, name: "invoices" });
    await under.control.storage.putBucket({ ref: REF, name: "avatars" });
    expect(await client.storage.listBuckets({ ref: REF })).toMatchObject([
      { id: "avatars", public: false, created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:01.000Z" },
      { id: "invoices", public: false },
    ]);
    expect(await under.control.storage.removeBucket({ ref: REF, name: "avatars" })).toEqual({ removed: true });
    expect((await client.storage.listBuckets({ ref: REF })).map(({ id }) => id)).toEqual(["invoices"]);
  });

  it("are there only for a project that is", async () => {
    await using under = await emulatorUnderTest();
    expect((await under.call("GET", `/v1/projects/${REF}/storage/buckets`)).status).toBe(404);
  });
});
