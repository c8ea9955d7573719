import { closeSync, fstatSync, statSync } from "node:fs";
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../base/manual-clock.ts";
import { silentLogger } from "../../base/log.ts";
import { emulatorUnderTest, type EmulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { EmulatorProcess } from "../../../test/support/emulator/killed/process.ts";
import { createRequestLog, type RequestLog } from "../http/request-log.ts";
import { openKeptRequests } from "./kept-requests.ts";
import { StateError } from "./state-error.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-kept-requests-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const REF = "abcdefghijklmnopqrst";
const seed = { projects: [{ name: "shop", ref: REF }] };
const ENDPOINTS = `/v1/projects/${REF}/analytics/endpoints`;

/** What analytics answer, of what the emulator saw. */
async function analytics({ call }: EmulatorUnderTest): Promise<readonly unknown[]> {
  const paths = [
    "usage.api-requests-count",
    "usage.api-counts?interval=15min",
    "functions.combined-stats?interval=15min&function_id=f",
  ];
  return Promise.all(paths.map(async (path) => (await call("GET", `${ENDPOINTS}/${path}`)).json));
}

it("analytics answer after a restart of what was seen before it", async () => {
  const clock = new ManualClock();
  const options = { dataDir: folder, seed, clock };
  const before = await (async () => {
    await using first = await emulatorUnderTest(options);
    for (const path of ["config/auth", "config/storage", "config/storage", "functions"]) {
      expect((await first.call("GET", `/v1/projects/${REF}/${path}`)).status).toBe(200);
    }
    expect((await first.call("GET", `${ENDPOINTS}/usage.api-requests-count`)).json).toMatchObject({
      result: [{ count: 4 }],
    });
    return await first.control.log.read();
  })();
  {
    await using second = await emulatorUnderTest(options);
    expect(await second.control.log.read()).toEqual(before);
    const [counted, byService] = await analytics(second);
    expect(counted).toMatchObject({ result: [{ count: 5 }] });
    expect(byService).toMatchObject({ result: [{ total_auth_requests: 1, total_storage_requests: 2 }] });
    expect((await second.control.log.read()).last, "numbers go on").toBe(before.last + 3);
    await second.control.log.clear();
  }
  await using third = await emulatorUnderTest(options);
  expect(await third.control.log.read()).toEqual({ entries: [], last: 0 });
});

it("no request that was answered is missing after kill -9", async () => {
  const flags = ["--data-dir", folder];
  const paths = Array.from({ length: 50 }, (_, index) => `/v1/projects/${"z".repeat(20)}/secrets/${index}`);
  await using first = await EmulatorProcess.start(flags);
  await Promise.all(paths.map((path) => first.call("GET", path)));
  await first.kill("SIGKILL");
  await using second = await EmulatorProcess.start(flags);
  const { json } = await second.call("POST", "/_emulator/log.read", {});
  const { entries } = z.object({ entries: z.array(z.object({ path: z.string(), status: z.number() })) }).parse(json);
  const seen = entries.filter(({ status }) => status === 404).map(({ path }) => path);
  expect(seen.toSorted()).toEqual(paths.toSorted());
});

const entry = {
  atMs: 0,
  operation: null,
  method: "GET",
  path: "/",
  query: {},
  identity: "a",
  scope: null,
  fault: null,
};

function take(log: RequestLog, count: number): void {
  for (let taken = 0; taken < count; taken += 1) log.close(log.open({ ...entry, status: 200 }));
}

it("two files hold the newest 20,000, and no more than twice as many", async () => {
  using kept = openKeptRequests(folder, silentLogger);
  take(createRequestLog(kept), 65_000);
  expect(await readdir(folder)).toEqual(["requests-3.jsonl", "requests-4.jsonl"]);
  using again = openKeptRequests(folder, silentLogger);
  const found = again.takeFound();
  expect([found.length, found[0]?.sequence, found.at(-1)?.sequence]).toEqual([20_000, 45_001, 65_000]);
  expect(again.takeFound(), "what was handed over is kept by nobody else").toEqual([]);
});

it("half a line, and one that is none, cost themselves alone", async () => {
  {
    using kept = openKeptRequests(folder, silentLogger);
    take(createRequestLog(kept), 2);
  }
  const file = join(folder, "requests-1.jsonl");
  await appendFile(file, '{"sequence":"three"}\nnonsense\n{"sequence":3,"atMs"');
  {
    using kept = openKeptRequests(folder, silentLogger);
    const log = createRequestLog(kept);
    expect(log.entries.map(({ sequence }) => sequence)).toEqual([1, 2]);
    take(log, 1);
  }
  using last = openKeptRequests(folder, silentLogger);
  expect(last.takeFound().map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  expect((await readFile(file, "utf8")).endsWith("}\n")).toBe(true);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("a folder that cannot be one is refused by name, and a file that is gone later costs lines alone", async () => {
  await writeFile(join(folder, "file"), "");
  expect(() => openKeptRequests(join(folder, "file"), silentLogger)).toThrow(
    new StateError(`the request log in ${join(folder, "file")} cannot be opened`),
  );
  using kept = openKeptRequests(join(folder, "requests"), silentLogger);
  const log = createRequestLog(kept);
  await rm(join(folder, "requests"), { recursive: true });
  take(log, 20_001);
  expect(log.entries).toHaveLength(20_001);
});

/** The number under which this process has a file open. */
function descriptorOf(path: string): number {
  const { dev, ino } = statSync(path);
  for (let descriptor = 3; descriptor < 10_000; descriptor += 1) {
    try {
      const opened = fstatSync(descriptor);
      if (opened.dev === dev && opened.ino === ino) return descriptor;
    } catch {
      // not open
    }
  }
  throw new Error(`${path} is not open`);
}

it.each([
  { when: "it is written", lines: 1 },
  { when: "it is turned over", lines: 20_001 },
  { when: "it is let go", lines: 0 },
])("a file that can neither be written nor closed costs lines alone: $when", ({ lines }) => {
  using kept = openKeptRequests(folder, silentLogger);
  const log = createRequestLog(kept);
  const before = Math.max(0, lines - 1);
  take(log, before);
  closeSync(descriptorOf(join(folder, "requests-1.jsonl")));
  take(log, lines - before);
  expect(log.entries).toHaveLength(lines);
});
