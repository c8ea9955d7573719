import { createHash } from "node:crypto";
import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const count = "select count(*) as n from edge_logs where event_message like 'PATCH%'";

/** Requests that the counts and logs of the project must show. */
async function busy({ client }: Scene): Promise<void> {
  await client.realtime.update({ ref: SHOP, body: { max_concurrent_users: 7 } });
  await client.authConfig.update({ ref: SHOP, body: { jwt_exp: 600 } });
  await client.authConfig.get({ ref: SHOP });
}

export const analytics: EffectsOf<"analytics"> = {
  functionStats: async ({ client }) => {
    const deploy = (entrypoint_path: string) =>
      client.functions.deploy({
        ref: SHOP,
        slug: "hello",
        body: { metadata: { entrypoint_path }, files: [{ path: "main.ts", content: "1" }] },
      });
    const { id } = await deploy("main.ts");
    await expect(deploy("missing.ts")).rejects.toMatchObject({ status: 400 });
    expect(await client.analytics.functionStats({ ref: SHOP, interval: "1hr", function_id: id })).toEqual({
      result: [
        {
          timestamp: START,
          requests_count: 2,
          success_count: 1,
          redirect_count: 0,
          client_err_count: 1,
          server_err_count: 0,
        },
      ],
    });
  },
  logs: async (scene) => {
    await busy(scene);
    expect(await scene.client.analytics.logs({ ref: SHOP, sql: count })).toEqual({ result: [{ n: 2 }] });
    const { result = [] } = await scene.client.analytics.logs({ ref: SHOP });
    expect(result).toContainEqual(
      expect.objectContaining({ event_message: `PATCH | 204 | /v1/projects/${SHOP}/config/realtime` }),
    );
  },
  allLogs: async (scene) => {
    await busy(scene);
    expect(await scene.client.analytics.allLogs({ ref: SHOP, sql: count })).toEqual({ result: [{ n: 2 }] });
    scene.pass(3_600_000);
    const range = { iso_timestamp_start: "2026-01-01T00:30:00Z", iso_timestamp_end: "2026-01-01T00:45:00Z" };
    expect(await scene.client.analytics.allLogs({ ref: SHOP, sql: count, ...range })).toEqual({ result: [{ n: 0 }] });
  },
  apiCounts: async (scene) => {
    await busy(scene);
    const result = [
      {
        timestamp: START,
        total_auth_requests: 2,
        total_realtime_requests: 1,
        total_rest_requests: 0,
        total_storage_requests: 0,
      },
    ];
    const counts = (interval: "15min" | "1hr") => scene.client.analytics.apiCounts({ ref: SHOP, interval });
    expect(await counts("15min")).toEqual({ result });
    scene.pass(1_800_000);
    expect(await counts("15min")).toEqual({ result: [] });
    expect((await counts("1hr")).result?.[0]).toEqual(result[0]);
  },
  apiRequestsCount: async (scene) => {
    await busy(scene);
    expect(await scene.client.analytics.apiRequestsCount({ ref: SHOP })).toEqual({ result: [{ count: 3 }] });
  },
};

const HOOK = {
  name: "all",
  description: "to the archive",
  backend_type: "webhook",
  config: { url: "https://hook.test", headers: { Authorization: "hunter2" } },
} as const;
const SHOWN = { ...HOOK, config: { ...HOOK.config, headers: { Authorization: "REDACTED" } } };

const created = async ({ client }: Scene) =>
  (await client.logDrains.create({ ref: SHOP, body: { data: { type: "log_drain", attributes: HOOK } } })).data;

export const logDrains: EffectsOf<"logDrains"> = {
  create: async (scene) => {
    const made = await created(scene);
    expect(await scene.client.logDrains.list({ ref: SHOP })).toEqual({ data: [made] });
    const [shop] = (await scene.control.state.read()).projects;
    const digest = createHash("sha256").update("hunter2").digest("hex");
    expect(shop?.logDrains[0]?.secretDigests).toEqual({ "headers.Authorization": digest });
  },
  list: async (scene) => {
    const { id } = await created(scene);
    expect(await scene.client.logDrains.list({ ref: SHOP })).toEqual({
      data: [{ type: "log_drain", id, attributes: SHOWN }],
    });
  },
  update: async (scene) => {
    const { id } = await created(scene);
    const attributes = { name: "some", backend_type: "webhook" } as const;
    await scene.client.logDrains.update({ ref: SHOP, id, body: { data: { type: "log_drain", attributes } } });
    expect(await scene.client.logDrains.list({ ref: SHOP })).toEqual({
      data: [{ type: "log_drain", id, attributes: { ...SHOWN, name: "some" } }],
    });
  },
  delete: async (scene) => {
    const [first, second] = [await created(scene), await created(scene)];
    expect(await scene.client.logDrains.delete({ ref: SHOP, id: first.id })).toBeUndefined();
    expect(await scene.client.logDrains.list({ ref: SHOP })).toEqual({ data: [second] });
  },
};
