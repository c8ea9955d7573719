import { FormData } from "undici";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { BUNDLE_MEDIA_TYPE, functionSchema } from "../../api/contract/functions.ts";
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

  it("takes the metadata as a JSON file part as well", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const form = new FormData();
    form.append("file", new Blob(["1"]), "index.ts");
    const json = JSON.stringify({ entrypoint_path: "index.ts", name: "Blob" });
    form.append("metadata", new Blob([json], { type: "application/json" }), "metadata.json");
    const made = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body: form });
    expect(bodyAs(functionSchema, made).name).toBe("Blob");
  });

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
    const { id, slug, name, version, verify_jwt, entrypoint_path, ezbr_sha256 } = answer;
    const item = { id, slug, name, status: "ACTIVE", version, verify_jwt, entrypoint_path, ezbr_sha256 };
    const put = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item] });
    expect(put.status).toBe(200);
    expect(await read(under, ref, "hello")).toMatchObject({
      version: 2,
      verify_jwt: false,
      entrypoint_path: "main.ts",
    });
  });

  it("[K-31] is refused with 409 while another one of the project is being bundled, and not in another project", async () => {
    await using under = await emulatorUnderTest({ timings: { bundleMs: 1000 } });
    const [ref, other] = [await aProject(under, "one"), await aProject(under, "two")];
    const bundling = (count: number) =>
      vi.waitFor(() => expect(under.clock.pendingTimers).toBe(count), { interval: 5 });
    const first = deploy(under, ref, "a");
    await bundling(1);
    const second = await deploy(under, ref, "b");
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

  it("is refused with 402 above the plan's number of functions, not for one that is there", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 1 } });
    expect((await deploy(under, ref, "one")).status).toBe(201);
    expect((await deploy(under, ref, "two")).status).toBe(402);
    expect((await deploy(under, ref, "one")).status).toBe(201);
  });
});

describe("the bulk update", () => {
  const item = { id: "1e3b0c5e-0000-4000-8000-000000000000", slug: "a", name: "A", status: "ACTIVE", version: 7 };

  it("creates and replaces what it names, sets the version as told, and leaves the others", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "other");
    const put = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item] });
    expect(put.json).toMatchObject({ functions: [{ ...item, verify_jwt: true }] });
    const again = await under.call("PUT", `/v1/projects/${ref}/functions`, {
      body: [{ ...item, verify_jwt: false, version: 8 }],
    });
    expect(again.json).toMatchObject({ functions: [{ version: 8, verify_jwt: false }] });
    const all = bodyAs(list, await under.call("GET", `/v1/projects/${ref}/functions`));
    expect(all.map(({ slug }) => slug)).toEqual(["other", "a"]);
  });

  it.each([
    { body: [{ ...item, version: "7" }], says: "0.version" },
    { body: [{ ...item, slug: undefined }], says: "0.slug" },
    { body: [item, { ...item, colour: 1 }], says: "'colour'" },
    { body: item, says: "expected array" },
  ])("is refused with 400 that says $says", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("PUT", `/v1/projects/${ref}/functions`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("is refused as a whole above the plan's number", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 1 } });
    const refused = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item, { ...item, slug: "b" }] });
    expect(refused.status).toBe(402);
    expect((await under.call("GET", `/v1/projects/${ref}/functions`)).json).toEqual([]);
  });
});

describe("the old create and change", () => {
  it("take JSON with the source", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = { slug: "old", name: "Old", body: "export default 1", verify_jwt: false };
    const made = await under.call("POST", `/v1/projects/${ref}/functions`, { body });
    expect([made.status, made.json]).toMatchObject([201, { slug: "old", name: "Old", version: 1, verify_jwt: false }]);
    const named = await under.call("PATCH", `/v1/projects/${ref}/functions/old`, { body: { name: "Older" } });
    expect([named.status, named.json]).toMatchObject([200, { name: "Older", version: 1, verify_jwt: false }]);
    const changed = await under.call("PATCH", `/v1/projects/${ref}/functions/old`, {
      body: { body: "export default 2" },
    });
    expect(changed.json).toMatchObject({ version: 2 });
    const twice = await under.call("POST", `/v1/projects/${ref}/functions`, { body });
    expect([twice.status, message(twice)]).toEqual([409, "Duplicated function slug"]);
  });

  it("take a bundle, with the settings in the query", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const bytes = new Uint8Array([1, 2, 3, 0, 255]);
    const headers = { "content-type": BUNDLE_MEDIA_TYPE };
    const query = "?slug=raw&name=Raw&verify_jwt=false&entrypoint_path=a.ts";
    const made = await under.call("POST", `/v1/projects/${ref}/functions${query}`, { body: bytes, headers });
    expect([made.status, made.json]).toMatchObject([
      201,
      { slug: "raw", name: "Raw", verify_jwt: false, entrypoint_path: "a.ts" },
    ]);
    const patched = await under.call("PATCH", `/v1/projects/${ref}/functions/raw?verify_jwt=true`, {
      body: bytes,
      headers,
    });
    expect(patched.json).toMatchObject({ version: 2, verify_jwt: true, name: "Raw" });
    const body = await under.call("GET", `/v1/projects/${ref}/functions/raw/body`);
    expect([body.headers["content-type"], body.text.length]).toEqual([BUNDLE_MEDIA_TYPE, 5]);
  });

  it.each([
    {
      query: "",
      headers: { "content-type": BUNDLE_MEDIA_TYPE },
      body: "x",
      because: "a raw bundle without a slug names nothing",
    },
    {
      query: "?slug=9a",
      headers: { "content-type": BUNDLE_MEDIA_TYPE },
      body: "x",
      because: "a new slug begins with a letter",
    },
    { query: "", headers: { "content-type": "text/plain" }, body: "x", because: "text is neither form" },
    { query: "", headers: {}, body: { slug: "a", name: "A" }, because: "the source is missing" },
  ])("refuse with 400: $because", async ({ query, headers, body }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    expect((await under.call("POST", `/v1/projects/${ref}/functions${query}`, { body, headers })).status).toBe(400);
  });

  it("refuse to rename", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "a");
    expect((await under.call("PATCH", `/v1/projects/${ref}/functions/a?slug=b`, { body: {} })).status).toBe(400);
  });
});

describe("reading a function's files", () => {
  it("answers multipart with metadata and files where the Accept header asks for it", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = deployForm({ entrypoint_path: "src/index.ts" }, { "src/index.ts": "1", "src/größe.ts": "ä" });
    await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body });
    const answer = await under.call("GET", `/v1/projects/${ref}/functions/a/body`, {
      headers: { accept: "multipart/form-data" },
    });
    const form = await new Response(answer.text, {
      headers: { "content-type": answer.headers["content-type"] ?? "" },
    }).formData();
    const files = form.getAll("file").filter((part) => part instanceof File);
    expect(await Promise.all(files.map(async (file) => [file.name, await file.text()]))).toEqual([
      ["src/größe.ts", "ä"],
      ["src/index.ts", "1"],
    ]);
    expect(form.has("metadata")).toBe(true);
  });

  it("is refused for a function that has none, and for one that is not there", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const item = { id: "x", slug: "a", name: "A", status: "ACTIVE", version: 1 };
    await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item] });
    expect((await under.call("GET", `/v1/projects/${ref}/functions/a/body`)).status).toBe(404);
    expect((await under.call("GET", `/v1/projects/${ref}/functions/b/body`)).status).toBe(404);
  });
});

describe("deleting a function", () => {
  it("answers ok, and 404 from then on", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "a");
    const path = `/v1/projects/${ref}/functions/a`;
    expect(await under.call("DELETE", path)).toMatchObject({ status: 200, json: { message: "ok" } });
    const answers = await Promise.all(
      ["GET", "DELETE", "PATCH"].map((verb) => under.call(verb, path, { body: verb === "PATCH" ? {} : undefined })),
    );
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      answers.map(() => [404, '{"message":"Function not found"}']),
    );
  });

  it("begins anew at version 1 when it is deployed again", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "a");
    await deploy(under, ref, "a");
    await under.call("DELETE", `/v1/projects/${ref}/functions/a`);
    expect(bodyAs(functionSchema, await deploy(under, ref, "a")).version).toBe(1);
  });
});
