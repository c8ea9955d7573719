import { Pool } from "undici";
import { startEmulator } from "../../src/emulator/emulator.ts";

/** Program of the emulator's bench: creates many projects, lets them come up, prints what they cost as a line of JSON. Needs --expose-gc. */

const PROJECTS = 5000;
const ORGANIZATION = "acme";

async function main(): Promise<void> {
  const emulator = await startEmulator({
    tokens: ["bench"],
    limits: { requestsPerMinute: 0 },
    seed: { organizations: [{ slug: ORGANIZATION, members: { owner: "Owner" }, quotas: { projects: 10 * PROJECTS } }] },
  });
  const pool = new Pool(emulator.url, { connections: 1 });
  const create = async (name: string): Promise<void> => {
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: "/v1/projects",
      headers: { authorization: "Bearer bench", "content-type": "application/json" },
      body: JSON.stringify({ name, db_pass: "correct horse", organization_slug: ORGANIZATION }),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`${statusCode} ${text}`);
  };
  for (let index = 0; index < 200; index += 1) await create(`warm-up ${index}`);
  await settle(emulator);
  const before = process.memoryUsage();
  for (let index = 0; index < PROJECTS; index += 1) await create(`idle ${index}`);
  await settle(emulator);
  const after = process.memoryUsage();
  const rssBytes = after.rss - before.rss;
  const heapBytes = after.heapUsed - before.heapUsed;
  process.stdout.write(`${JSON.stringify({ projects: PROJECTS, rssBytes, heapBytes })}\n`);
  await pool.destroy();
  await emulator.stop();
}

/** Everything is up, the request log (which is bounded by itself) is empty, garbage is gone. */
async function settle({ control }: Awaited<ReturnType<typeof startEmulator>>): Promise<void> {
  await control.time.advance({ ms: 3_600_000 });
  await control.log.clear();
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("run with --expose-gc");
  for (let round = 0; round < 4; round += 1) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await main();
