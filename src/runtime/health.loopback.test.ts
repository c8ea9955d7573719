import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { request } from "undici";
import { logLines } from "../../test/support/runtime/log-lines.ts";
import { type HealthServer, type HealthServerOptions, startHealthServer } from "./health.ts";
import { createMetrics } from "./metrics.ts";

const running: HealthServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function start(options: Partial<HealthServerOptions> = {}): Promise<HealthServer> {
  const { log } = logLines();
  const fine = (): readonly string[] => [];
  const metrics = createMetrics().expose;
  const server = await startHealthServer({
    host: "127.0.0.1",
    port: 0,
    liveness: fine,
    readiness: fine,
    metrics,
    log,
    ...options,
  });
  running.push(server);
  return server;
}

async function serve(
  options: Partial<HealthServerOptions> = {},
): Promise<{ get: (path: string) => Promise<{ status: number; text: string; type: unknown }> }> {
  const server = await start(options);
  return {
    get: async (path) => {
      const { statusCode, headers, body } = await request(`${server.url}${path}`);
      return { status: statusCode, text: await body.text(), type: headers["content-type"] };
    },
  };
}

describe("health server", () => {
  it.each(["/healthz", "/readyz"])("answers 200 on %s while nothing is wrong", async (path) => {
    const { get } = await serve();
    expect(await get(path)).toMatchObject({ status: 200, text: "ok\n" });
  });

  it("answers each probe by its own check, and says what is wrong", async () => {
    const { get } = await serve({ readiness: () => ["waiting for the first list of projects", "and of branches"] });
    expect((await get("/healthz")).status).toBe(200);
    expect(await get("/readyz")).toMatchObject({
      status: 503,
      text: "waiting for the first list of projects\nand of branches\n",
    });
  });

  it("follows the state: what was wrong and is not any more is well again", async () => {
    let wrong: readonly string[] = ["watch loop of projects is stuck"];
    const { get } = await serve({ liveness: () => wrong });
    expect((await get("/healthz")).status).toBe(503);
    wrong = [];
    expect((await get("/healthz")).status).toBe(200);
  });

  it("takes a check that throws for a finding", async () => {
    const { get } = await serve({
      liveness: () => {
        throw new Error("broken");
      },
    });
    expect(await get("/healthz")).toMatchObject({ status: 503, text: "check failed: broken\n" });
  });

  it("answers nothing while the event loop is blocked, which is all that tells of that", async () => {
    const { url } = await start();
    const asks = `fetch("${url}/healthz", { signal: AbortSignal.timeout(2000) }).then(({ status }) => status, ({ name }) => name)`;
    const told = execFileSync(process.execPath, ["--eval", `${asks}.then((said) => console.log(said))`], {
      encoding: "utf8",
    });
    expect(told.trim()).toBe("TimeoutError");
  });

  it("serves metrics in the text format", async () => {
    const metrics = createMetrics();
    metrics.meter.gauge({ name: "baas_leader", help: "Leader." }).set(1);
    const { get } = await serve({ metrics: metrics.expose });
    const answer = await get("/metrics");
    expect(answer).toMatchObject({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8" });
    expect(answer.text).toContain("baas_leader 1");
  });

  it("answers 500 without details when a scrape fails, and goes on", async () => {
    const { get } = await serve({ metrics: () => Promise.reject(new Error("hunter2")) });
    const answer = await get("/metrics");
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("hunter2");
    expect((await get("/healthz")).status).toBe(200);
  });

  it("knows nothing else", async () => {
    const { get } = await serve();
    expect((await get("/")).status).toBe(404);
  });

  it("rejects when its port is taken, with Node's code", async () => {
    const { log } = logLines();
    const options = {
      host: "127.0.0.1",
      liveness: () => [],
      readiness: () => [],
      metrics: createMetrics().expose,
      log,
    };
    const first = await startHealthServer({ ...options, port: 0 });
    running.push(first);
    const port = Number(new URL(first.url).port);
    await expect(startHealthServer({ ...options, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
