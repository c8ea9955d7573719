import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BUNDLE_MEDIA_TYPE, functionSchema } from "../../api/contract/functions.ts";
import { bodyAs, deployForm, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, deploy, message } from "../../../test/support/emulator/scenario.ts";

const list = z.array(functionSchema);

describe("the bulk update", () => {
  const item = { id: "1e3b0c5e-0000-4000-8000-000000000000", slug: "a", name: "A", status: "ACTIVE", version: 7 };

  it("creates and replaces what it names, sets the version as told, and leaves the others", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "other");
    const put = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item] });
    expect(put.json).toMatchObject({ functions: [{ ...item, verify_jwt: true }] });
    const again = await under.call("PUT", `/v1/projects/${ref}/functions`, {
      body: [{ ...item, verify_jwt: false, version: 8, created_at: 1_700_000_000_000 }],
    });
    const replaced = { id: item.id, version: 8, verify_jwt: false, created_at: 1_700_000_000_000 };
    expect(again.json).toMatchObject({ functions: [replaced] });
    expect((await under.call("GET", `/v1/projects/${ref}/functions/a`)).json).toMatchObject(replaced);
    const all = bodyAs(list, await under.call("GET", `/v1/projects/${ref}/functions`));
    expect(all.map(({ slug }) => slug)).toEqual(["other", "a"]);
  });

  it("keeps nothing that it could say and does not, and the bundle with its hash, the id and the time of creation", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "a");
    const files = await under.call("GET", `/v1/projects/${ref}/functions/a/body`);
    const { id, updated_at, ezbr_sha256 } = bodyAs(
      functionSchema,
      await under.call("GET", `/v1/projects/${ref}/functions/a`),
    );
    expect(ezbr_sha256).toMatch(/^[0-9a-f]{64}$/);
    const told = {
      ...item,
      created_at: 1_700_000_000_000,
      verify_jwt: false,
      import_map: true,
      entrypoint_path: "main.ts",
      import_map_path: "deno.json",
      ezbr_sha256: "ab".repeat(32),
    };
    const put = async (one: object): Promise<object | undefined> => {
      const answer = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [one] });
      return bodyAs(z.object({ functions: list }), answer).functions[0];
    };
    expect(await put(told)).toEqual({ ...told, id, updated_at });
    const nothing = { verify_jwt: true, import_map: false, created_at: told.created_at };
    expect(await put(item)).toEqual({ ...item, ...nothing, id, updated_at, ezbr_sha256 });
    expect(await put({ ...item, import_map_path: "deno.json" })).toMatchObject({ import_map: false });
    expect(await under.call("GET", `/v1/projects/${ref}/functions/a/body`)).toMatchObject({ text: files.text });
  });

  it("is idempotent: what is repeated later leaves all as it is but for the time of the change", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await deploy(under, ref, "deployed");
    const other = { ...item, id: "2e3b0c5e-0000-4000-8000-000000000000", slug: "deployed" };
    const put = async () => {
      under.clock.advance(1000);
      const received = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item, other] });
      return bodyAs(z.object({ functions: list }), received).functions;
    };
    const first = await put();
    const again = await put();
    expect(again).toEqual(first.map((one) => ({ ...one, updated_at: (one.updated_at ?? 0) + 1000 })));
    expect(bodyAs(list, await under.call("GET", `/v1/projects/${ref}/functions`))).toEqual(again.toReversed());
  });

  it("takes any id for functions that are there, one for two as well, since each keeps its own: it is ignored", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    for (const slug of ["a", "b"]) await deploy(under, ref, slug);
    const ids = async () =>
      bodyAs(list, await under.call("GET", `/v1/projects/${ref}/functions`)).map(({ id, slug }) => ({ id, slug }));
    const before = await ids();
    for (const id of ["", item.id, before[1]?.id]) {
      const body = ["a", "b"].map((slug) => ({ ...item, id, slug }));
      expect((await under.call("PUT", `/v1/projects/${ref}/functions`, { body })).status).toBe(200);
    }
    // an id that an item only said is nobody's
    const body = [item, { ...item, slug: "c" }];
    expect((await under.call("PUT", `/v1/projects/${ref}/functions`, { body })).status).toBe(200);
    expect((await under.call("PUT", `/v1/projects/${ref}/functions`, { body })).status).toBe(200);
    expect(await ids()).toEqual([...before, { id: item.id, slug: "c" }]);
  });

  it.each([
    { because: "it is that of a function that is there", slugs: ["b"] },
    { because: "an item before has it", slugs: ["c", "d"] },
  ])("is refused as a whole with 400 where an id is another function's: $because", async ({ slugs }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const { id } = bodyAs(functionSchema, await deploy(under, ref, "a"));
    const used = slugs.length === 1 ? id : item.id;
    const before = await under.call("GET", `/v1/projects/${ref}/functions`);
    const body = slugs.map((slug) => ({ ...item, id: used, slug }));
    const refused = await under.call("PUT", `/v1/projects/${ref}/functions`, { body });
    const whose = slugs.length === 1 ? "a" : "c";
    expect([refused.status, message(refused)]).toEqual([400, `${slugs.length - 1}.id: ${used} is that of ${whose}`]);
    expect((await under.call("GET", `/v1/projects/${ref}/functions`)).json).toEqual(before.json);
  });

  it.each([
    { body: [{ ...item, version: "7" }], says: "0.version" },
    { body: [{ ...item, version: 2 ** 53 }], says: "0.version" }, // one more would be no other number
    { body: [{ ...item, slug: undefined }], says: "0.slug" },
    { body: [item, { ...item, colour: 1 }], says: "'colour'" },
    { body: item, says: "expected array" },
  ])("is refused with 400 that says $says", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("PUT", `/v1/projects/${ref}/functions`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("takes a version as it is said, a lower one too: to raise it is the caller's", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    for (const version of [7, 3]) {
      const put = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [{ ...item, version }] });
      expect(put.json).toMatchObject({ functions: [{ slug: "a", version }] });
    }
  });

  it("is refused as a whole with 400 where it names a function twice: nothing tells which is meant", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = [item, { ...item, id: "y", slug: "b" }, { ...item, name: "Another" }];
    const refused = await under.call("PUT", `/v1/projects/${ref}/functions`, { body });
    expect([refused.status, message(refused)]).toEqual([400, "2.slug: a is named twice"]);
    expect((await under.call("GET", `/v1/projects/${ref}/functions`)).json).toEqual([]);
  });

  it("is refused as a whole above the plan's number", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 1 } });
    const body = [item, { ...item, id: "y", slug: "b" }];
    const refused = await under.call("PUT", `/v1/projects/${ref}/functions`, { body });
    expect(refused.status).toBe(402);
    expect((await under.call("GET", `/v1/projects/${ref}/functions`)).json).toEqual([]);
  });
});

describe("the old create and change", () => {
  it("are refused with 402 above the plan's number, and change what is there", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 1 } });
    const create = (slug: string) =>
      under.call("POST", `/v1/projects/${ref}/functions`, { body: { slug, name: slug, body: "1" } });
    expect([(await create("one")).status, (await create("two")).status]).toEqual([201, 402]);
    const changed = await under.call("PATCH", `/v1/projects/${ref}/functions/one`, { body: { name: "One" } });
    expect([changed.status, changed.json]).toMatchObject([200, { name: "One" }]);
  });

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

  it("take the hash that the query says for the bundle's, until another bundle comes", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const [said, another] = ["ab".repeat(32), "cd".repeat(32)];
    const hash = async (method: string, path: string, body: object): Promise<string | null | undefined> => {
      const answer = await under.call(method, `/v1/projects/${ref}/functions${path}`, { body });
      return bodyAs(functionSchema, answer).ezbr_sha256;
    };
    const source = { slug: "old", name: "Old", body: "1" };
    const own = await hash("POST", "", { ...source, slug: "own" });
    expect(await hash("POST", `?ezbr_sha256=${said}`, source)).toBe(said);
    expect(await hash("PATCH", "/old", { name: "Older" })).toBe(said);
    expect(await hash("PATCH", "/old", { body: "1" })).toBe(own);
    expect(await hash("PATCH", `/old?ezbr_sha256=${another}`, {})).toBe(another);
    expect(await hash("PATCH", `/old?ezbr_sha256=${said}`, { body: "1" })).toBe(said);
  });

  it("take the path of an import map alone for one that there is, which the bulk update does not", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const query = "?import_map_path=deno.json";
    const body = { slug: "old", name: "Old", body: "1" };
    const made = await under.call("POST", `/v1/projects/${ref}/functions${query}`, { body });
    expect(made.json).toMatchObject({ import_map: true, import_map_path: "deno.json" });
    const { id, slug, name, version } = bodyAs(functionSchema, made);
    const item = { id, slug, name, status: "ACTIVE", version, import_map_path: "deno.json" };
    const put = await under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item] });
    expect(put.json).toMatchObject({ functions: [{ import_map: false, import_map_path: "deno.json" }] });
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
