import { FormData } from "undici";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { functionSchema } from "../../api/contract/functions.ts";
import { bodyAs, deployForm, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, deploy, message } from "../../../test/support/emulator/scenario.ts";

const list = z.array(functionSchema);

async function read({ call }: EmulatorUnderTest, ref: string, slug: string): Promise<z.output<typeof functionSchema>> {
  return bodyAs(functionSchema, await call("GET", `/v1/projects/${ref}/functions/${slug}`));
}

describe("deploying a function", () => {
  it("makes it when it is not there: version 1, active, verify_jwt on", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const made = await deploy(under, ref, "hello");
    expect(made.status).toBe(201);
    expect(bodyAs(functionSchema, made)).toMatchObject({
      slug: "hello",
      name: "hello",
      status: "ACTIVE",
      version: 1,
      verify_jwt: true,
      import_map: false,
      entrypoint_path: "index.ts",
      ezbr_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(bodyAs(list, await under.call("GET", `/v1/projects/${ref}/functions`))).toEqual([made.json]);
  });

  it("raises the version by one each time and keeps what the metadata leaves out", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const form = deployForm(
      { entrypoint_path: "index.ts", import_map_path: "deno.json", verify_jwt: false, name: "Hello" },
      { "index.ts": "1", "deno.json": "{}" },
    );
    await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=hello`, { body: form });
    await deploy(under, ref, "hello");
    expect(await read(under, ref, "hello")).toMatchObject({
      version: 2,
      verify_jwt: false,
      name: "Hello",
      import_map_path: "deno.json",
    });
  });

  it.each(["metadata first", "files first"] as const)("takes the parts with the %s", async (order) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const form = deployForm({ entrypoint_path: "src/index.ts" }, { "src/index.ts": "1", "src/lib/b.ts": "2" }, order);
    const made = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body: form });
    expect([made.status, bodyAs(functionSchema, made).entrypoint_path]).toEqual([201, "src/index.ts"]);
    const { projects } = await under.control.state.read();
    expect(projects[0]?.functions[0]?.files.map(({ path }) => path)).toEqual(["src/index.ts", "src/lib/b.ts"]);
  });

  it.each(["before", "after"] as const)(
    "takes the metadata as a JSON file part %s the files as well",
    async (place) => {
      await using under = await emulatorUnderTest();
      const ref = await aProject(under);
      const json = JSON.stringify({ entrypoint_path: "index.ts", name: "Blob" });
      const metadata = new Blob([json], { type: "application/json" });
      const form = new FormData();
      if (place === "before") form.append("metadata", metadata, "metadata.json");
      form.append("file", new Blob(["1"]), "index.ts");
      if (place === "after") form.append("metadata", metadata, "metadata.json");
      const made = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body: form });
      expect(bodyAs(functionSchema, made).name).toBe("Blob");
    },
  );

  it("takes the metadata as a text field with a JSON content type, written by hand", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = [
      "--x",
      'Content-Disposition: form-data; name="metadata"',
      "Content-Type: application/json",
      "",
      '{"entrypoint_path":"a.ts"}',
      "--x",
      'Content-Disposition: form-data; name="file"; filename="a.ts"',
      "",
      "1",
      "--x--",
      "",
    ].join("\r\n");
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const made = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body, headers });
    expect([made.status, made.text]).toEqual([201, expect.stringContaining("a.ts")]);
  });

  it("hashes content and paths, whatever their order", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const hash = async (slug: string, files: Record<string, string>) => {
      const body = deployForm({ entrypoint_path: "a.ts" }, files);
      return bodyAs(
        functionSchema,
        await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=${slug}`, { body }),
      ).ezbr_sha256;
    };
    const one = await hash("one", { "a.ts": "1", "b.ts": "2" });
    expect(await hash("two", { "b.ts": "2", "a.ts": "1" })).toBe(one);
    expect(await hash("three", { "a.ts": "1", "b.ts": "3" })).not.toBe(one);
  });

  it("[K-29] with bundleOnly stores the bundle and the version, and leaves the metadata to the bulk update", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "hello", { verify_jwt: true });
    const body = deployForm({ entrypoint_path: "main.ts", verify_jwt: false }, { "main.ts": "2" });
    const path = `/v1/projects/${ref}/functions/deploy?slug=hello&bundleOnly=true`;
    const answer = bodyAs(functionSchema, await under.call("POST", path, { body }));
    expect(answer).toMatchObject({ version: 2, verify_jwt: false, entrypoint_path: "main.ts" });
    const between = await read(under, ref, "hello");
    expect(between).toMatchObject({
      version: 2,
      verify_jwt: true,
      entrypoint_path: "index.ts",
      ezbr_sha256: answer.ezbr_sha256,
    });
    // as clients do that leave the hash to the upload
    const { id, slug, name, version, verify_jwt, entrypoint_path } = answer;
    const item = { id, slug, name, status: "ACTIVE", version, verify_jwt, entrypoint_path };
    const put = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item] });
    expect(put.status).toBe(200);
    expect(await read(under, ref, "hello")).toMatchObject({
      version: 2,
      verify_jwt: false,
      entrypoint_path: "main.ts",
      ezbr_sha256: answer.ezbr_sha256,
    });
    expect((await deploy(under, ref, "hello")).status).toBe(201); // the turn was given back
  });

  it("[K-31] is refused with 409 while another one of the project is being bundled, and not in another project", async () => {
    await using under = await emulatorUnderTest({ timings: { bundleMs: 1000 } });
    const [ref, other] = [await aProject(under, "one"), await aProject(under, "two")];
    const bundling = (count: number) =>
      vi.waitFor(() => expect(under.clock.pendingTimers).toBe(count), { interval: 5 });
    const first = deploy(under, ref, "a");
    await bundling(1);
    let isAnswered = false;
    const refused = deploy(under, ref, "b").finally(() => (isAnswered = true));
    // one that is bundled would wait for the clock
    await vi.waitFor(() => expect(isAnswered || under.clock.pendingTimers > 1).toBe(true), { interval: 5 });
    expect(under.clock.pendingTimers).toBe(1);
    const second = await refused;
    expect([second.status, message(second)]).toEqual([409, expect.stringContaining("already exists")]);
    const elsewhere = deploy(under, other, "c");
    await bundling(2);
    under.clock.advance(1000);
    expect([(await first).status, (await elsewhere).status]).toEqual([201, 201]);
    const third = deploy(under, ref, "b");
    await bundling(1);
    under.clock.advance(1000);
    expect((await third).status).toBe(201);
  });

  it.each([
    {
      query: "?slug=hello",
      metadata: { entrypoint_path: "x.ts" },
      says: "entrypoint_path 'x.ts'",
      because: "the entrypoint is missing",
    },
    {
      query: "?slug=hello",
      metadata: { entrypoint_path: "index.ts", import_map_path: "deno.json" },
      says: "import_map_path 'deno.json'",
      because: "the import map is missing",
    },
    {
      query: "?slug=hello",
      metadata: {},
      says: "entrypoint_path: Invalid input",
      because: "the metadata is not complete",
    },
    {
      query: "?slug=1st",
      metadata: { entrypoint_path: "index.ts" },
      says: "slug",
      because: "a slug begins with a letter",
    },
    { query: "", metadata: { entrypoint_path: "index.ts" }, says: "slug", because: "nothing names the function" },
    {
      query: "?slug=a&bundleOnly=yes",
      metadata: { entrypoint_path: "index.ts" },
      says: "bundleOnly",
      because: "yes is no boolean",
    },
    { query: "?slug=a", metadata: "nonsense", says: "metadata", because: "the metadata is no object" },
  ])("is refused with 400 when $because", async ({ query, metadata, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = deployForm(metadata, { "index.ts": "1" });
    const refused = await under.call("POST", `/v1/projects/${ref}/functions/deploy${query}`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect((await under.call("GET", `/v1/projects/${ref}/functions`)).json).toEqual([]);
  });

  it("is refused for a body that is no multipart, one with a strange part, and one with no file", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const path = `/v1/projects/${ref}/functions/deploy?slug=a`;
    const strange = deployForm({ entrypoint_path: "index.ts" }, { "index.ts": "1" });
    strange.append("other", new Blob(["1"]), "x");
    const bodies = [{ a: 1 }, strange, deployForm({ entrypoint_path: "index.ts" }, {}), undefined];
    const answers = await Promise.all(bodies.map((body) => under.call("POST", path, { body })));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  it("[K-29] fails where a test says so, for that function alone, and can be mended", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.functions.failBundle({ slug: "bad", count: 2, message: "boom" });
    expect((await deploy(under, ref, "good")).status).toBe(201);
    const failed = await deploy(under, ref, "bad");
    expect([failed.status, message(failed)]).toEqual([400, "Failed to bundle the function (reason: boom)"]);
    expect((await under.call("GET", `/v1/projects/${ref}/functions/bad`)).status).toBe(404);
    await under.control.functions.mendBundles();
    expect((await deploy(under, ref, "bad")).status).toBe(201);
  });

  it("is no work for the machine while it is being bundled, so that time may pass meanwhile", async () => {
    await using under = await emulatorUnderTest({ timings: { bundleMs: 1000 } });
    const ref = await aProject(under);
    const slow = deploy(under, ref, "slow");
    await vi.waitFor(() => expect(under.clock.pendingTimers).toBe(1), { interval: 5 });
    await under.emulator.idle();
    under.clock.advance(1000);
    await under.emulator.idle();
    expect(await under.control.log.read({ operation: "functions.deploy" })).toMatchObject({
      entries: [{ status: 201 }],
    });
    expect((await slow).status).toBe(201);
  });

  it("is given up with 400 when bundling takes too long, and the next one may begin", async () => {
    await using under = await emulatorUnderTest({ timings: { bundleMs: 2000, bundleTimeoutMs: 1000 } });
    const ref = await aProject(under);
    const slow = deploy(under, ref, "slow");
    await vi.waitFor(() => expect(under.clock.pendingTimers).toBe(1), { interval: 5 });
    under.clock.advance(1000);
    const refused = await slow;
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("timed out")]);
    await under.control.settings.patch({ timings: { bundleMs: 0 } });
    expect(bodyAs(functionSchema, await deploy(under, ref, "slow")).version).toBe(1);
  });

  it("is refused with 402 above the plan's number of functions, not for one that is there", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 1 } });
    expect((await deploy(under, ref, "one")).status).toBe(201);
    expect((await deploy(under, ref, "two")).status).toBe(402);
    expect((await deploy(under, ref, "one")).status).toBe(201);
  });
});

describe("a project with more functions than its plan has by now", () => {
  it("changes those that it has, and gains none", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    for (const slug of ["one", "two"]) await deploy(under, ref, slug);
    await under.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 1 } });
    expect((await deploy(under, ref, "one")).status).toBe(201);
    expect((await deploy(under, ref, "three")).status).toBe(402);
    const all = await under.call("GET", `/v1/projects/${ref}/functions`);
    expect(all.json).toMatchObject([
      { slug: "one", version: 2 },
      { slug: "two", version: 1 },
    ]);
  });
});
