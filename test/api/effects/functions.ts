import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const HELLO = { ref: SHOP, function_slug: "hello" } as const;
const SOURCE = { ref: SHOP, body: { slug: "hello", name: "Hello", body: "export default 1" } } as const;

/** Deploys a function whose entrypoint is `main.ts`. */
const deployed = ({ client }: Scene, slug: string, text: string, bundleOnly = false) =>
  client.functions.deploy({
    ref: SHOP,
    slug,
    bundleOnly,
    body: { metadata: { entrypoint_path: "main.ts" }, files: [{ path: "main.ts", content: text }] },
  });

/** Files of the function hello, as text by path. */
async function filesOf({ client }: Scene): Promise<Readonly<Record<string, string>>> {
  const { files } = await client.functions.getBody(HELLO);
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}

export const functions: EffectsOf<"functions"> = {
  create: async (scene) => {
    const made = await scene.client.functions.create(SOURCE);
    expect(made).toMatchObject({ slug: "hello", name: "Hello", version: 1, status: "ACTIVE", verify_jwt: true });
    expect(await scene.client.functions.get(HELLO)).toEqual(made);
    expect(await filesOf(scene)).toEqual({ "index.ts": "export default 1" });
    const bundle = { slug: "raw", name: "Raw", verify_jwt: false, body: new Uint8Array([1, 0, 255]) };
    const raw = await scene.client.functions.create({ ref: SHOP, ...bundle });
    expect(raw).toMatchObject({ slug: "raw", name: "Raw", verify_jwt: false, version: 1 });
    expect(await scene.client.functions.get({ ref: SHOP, function_slug: "raw" })).toEqual(raw);
  },
  deploy: async (scene) => {
    await scene.client.functions.create(SOURCE);
    const made = await deployed(scene, "hello", "export default 2");
    expect(made).toMatchObject({ name: "Hello", version: 2, entrypoint_path: "main.ts" });
    expect(await scene.client.functions.get(HELLO)).toEqual(made);
    expect(await filesOf(scene)).toEqual({ "main.ts": "export default 2" });
  },
  update: async (scene) => {
    const { id } = await scene.client.functions.create(SOURCE);
    await scene.client.functions.update({ ...HELLO, body: { verify_jwt: false, body: "export default 3" } });
    expect(await scene.client.functions.get(HELLO)).toMatchObject({ id, name: "Hello", verify_jwt: false, version: 2 });
    expect(await filesOf(scene)).toEqual({ "index.ts": "export default 3" });
  },
  bulkUpdate: async (scene) => {
    await scene.client.functions.create(SOURCE);
    const { id } = await deployed(scene, "hello", "1", true);
    expect(await scene.client.functions.get(HELLO)).not.toHaveProperty("entrypoint_path");
    const item = {
      id,
      slug: "hello",
      name: "Hello",
      status: "ACTIVE",
      version: 7,
      verify_jwt: false,
      entrypoint_path: "main.ts",
    } as const;
    const added = { ...item, id: "1e3b0c5e-0000-4000-8000-000000000000", slug: "added" };
    const { functions: put } = await scene.client.functions.bulkUpdate({ ref: SHOP, body: [item, added] });
    expect(await scene.client.functions.list({ ref: SHOP })).toEqual(put);
    expect(put).toMatchObject([item, added]);
    expect(await filesOf(scene)).toEqual({ "main.ts": "1" });
  },
  list: async (scene) => {
    expect(await scene.client.functions.list({ ref: SHOP })).toEqual([]);
    const made = [await deployed(scene, "hello", "1"), await deployed(scene, "bye", "2")];
    expect(await scene.client.functions.list({ ref: SHOP })).toEqual(made);
  },
  get: async (scene) => {
    const { id, ezbr_sha256 } = await deployed(scene, "hello", "1");
    scene.pass(1000);
    expect((await deployed(scene, "hello", "2")).ezbr_sha256).not.toBe(ezbr_sha256);
    await deployed(scene, "hello", "1");
    expect(await scene.client.functions.get(HELLO)).toEqual({
      id,
      slug: "hello",
      name: "hello",
      status: "ACTIVE",
      version: 3,
      created_at: Date.parse(START),
      updated_at: Date.parse(START) + 1000,
      verify_jwt: true,
      import_map: false,
      entrypoint_path: "main.ts",
      ezbr_sha256,
    });
  },
  getBody: async ({ client }) => {
    const files = [
      { path: "src/größe.ts", content: "ä" },
      { path: "src/main.ts", content: new Uint8Array([0, 13, 10, 255]) },
    ];
    const metadata = { entrypoint_path: "src/main.ts" };
    await client.functions.deploy({ ref: SHOP, slug: "hello", body: { metadata, files } });
    const read = await client.functions.getBody(HELLO);
    expect(read.metadata).toMatchObject({ deno2_entrypoint_path: "src/main.ts" });
    expect(read.files.map(({ path, content }) => [path, [...content]])).toEqual([
      ["src/größe.ts", [0xc3, 0xa4]],
      ["src/main.ts", [0, 13, 10, 255]],
    ]);
  },
  delete: async (scene) => {
    await deployed(scene, "hello", "1");
    const stays = await deployed(scene, "stays", "2");
    await scene.client.functions.delete(HELLO);
    expect(await scene.client.functions.list({ ref: SHOP })).toEqual([stays]);
    await expect(scene.client.functions.get(HELLO)).rejects.toMatchObject({ status: 404 });
  },
};
