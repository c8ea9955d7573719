import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/stage/eventually.ts";

/** The demo is ended by Ctrl-C at any time, also while it starts. */

const MAIN = fileURLToPath(new URL("../../demo/main.ts", import.meta.url));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "demo-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What it says from the start to its end, when it is asked to end as soon as it has said `line`. */
async function endedAt(line: string): Promise<string> {
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "inherit"], detached: true });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (!said.includes(line) && `${said}${text}`.includes(line)) child.kill("SIGINT");
    said += text;
  });
  await once(child, "close");
  return said;
}

describe("Ctrl-C", () => {
  it.each([
    { at: "Starting a control plane", next: "emulated Management API" },
    { at: "Installing the chart", next: "Applied examples/quickstart" },
  ])("ends it while it is at: $at", async ({ at, next }) => {
    const said = await endedAt(at);
    expect(said).toMatch(/\nstopping\nstopped\n$/u);
    expect(said).not.toContain(next);
    await eventually("everything of it is gone", () => {
      const left = readdirSync(folder).filter((name) => /^(?:control-plane|operator)-/u.test(name));
      return Promise.resolve(left.length === 0 ? true : undefined);
    });
  });
});

it("a flag that there is not is told with those that there are, and nothing is started", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "--onec"], { encoding: "utf8" });
  expect([status, stdout, stderr.split("\n").slice(0, 2)]).toEqual([
    2,
    "",
    ["demo: Unknown option '--onec'", expect.stringMatching(/^npm run demo /u)],
  ]);
});
