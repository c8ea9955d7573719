import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../base/manual-clock.ts";
import {
  bodyAs,
  deployForm,
  type EmulatorUnderTest,
  emulatorUnderTest,
  TOKEN,
} from "../../../test/support/emulator/api.ts";

const REF = "abcdefghijklmnopqrst";
const SEED = { projects: [{ name: "shop", ref: REF, secrets: { A: "1" } }] };

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-state-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const under = (clock = new ManualClock()): Promise<EmulatorUnderTest> =>
  emulatorUnderTest({ dataDir: folder, seed: SEED, clock });

async function state(emulator: EmulatorUnderTest): Promise<unknown> {
  return { state: await emulator.control.state.read(), settings: await emulator.control.settings.read() };
}

async function shows(file: string, pattern: RegExp): Promise<void> {
  expect(await readFile(file, "utf8")).toMatch(pattern);
}

async function journals(): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith("journal-"));
}

describe("a data folder", () => {
  it("gives back everything at the next start, uploads and time too, and the seed is not added again", async () => {
    const clock = new ManualClock();
    let before: unknown;
    {
      await using first = await under(clock);
      const form = deployForm({ entrypoint_path: "index.ts" }, { "index.ts": "export default 1" });
      await first.call("POST", `/v1/projects/${REF}/functions/deploy?slug=hello`, { body: form });
      await first.call("POST", "/v1/projects", {
        body: { name: "new", db_pass: "long enough", organization_slug: "acme" },
      });
      await first.call("POST", `/v1/projects/${REF}/branches`, { body: { branch_name: "main" } });
      await first.call("DELETE", `/v1/projects/${REF}/secrets`, { body: ["A"] });
      await first.control.projects.hold({ refOrName: "later", at: "COMING_UP" });
      await first.control.time.advance({ ms: 86_400_000 });
      before = await state(first);
    }
    await using second = await under(clock);
    expect(await state(second)).toEqual(before);
    expect(await second.control.time.read()).toMatchObject({ nowMs: clock.now() + 86_400_000 });
    const body = await second.call("GET", `/v1/projects/${REF}/functions/hello/body`);
    expect(body.text).toContain("export default 1");
  });

  it("keeps no trace of a secret in plain", async () => {
    {
      await using first = await under();
      await first.call("POST", `/v1/projects/${REF}/secrets`, { body: [{ name: "B", value: "hunter2-canary" }] });
      await first.call("PATCH", `/v1/projects/${REF}/database/password`, { body: { password: "hunter3-canary" } });
    }
    const names = await readdir(folder, { withFileTypes: true });
    const texts = await Promise.all(
      names.filter((entry) => entry.isFile()).map(({ name }) => readFile(join(folder, name), "utf8")),
    );
    expect(texts.join("")).toContain(REF);
    expect(texts.join("")).not.toMatch(new RegExp(`canary|${TOKEN}`));
  });

  it("is empty again after a reset, but for the seed", async () => {
    {
      await using first = await under();
      await first.call("POST", "/v1/organizations", { body: { name: "Beta" } });
      await first.control.state.reset();
    }
    await using second = await under();
    expect((await second.call("GET", "/v1/organizations")).json).toMatchObject([{ slug: "acme" }]);
    expect((await second.call("GET", "/v1/projects")).json).toMatchObject([{ ref: REF }]);
  });

  it("drops a last line that was being written when the process died, and no other", async () => {
    {
      await using first = await under();
      await first.call("POST", "/v1/organizations", { body: { name: "Beta" } });
    }
    const [journal = ""] = await journals();
    await appendFile(join(folder, journal), '[["organizations","lost",{"id":"lo');
    const names = async (one: EmulatorUnderTest): Promise<readonly string[]> =>
      bodyAs(z.array(z.looseObject({ name: z.string() })), await one.call("GET", "/v1/organizations")).map(
        ({ name }) => name,
      );
    {
      await using second = await under();
      expect(await names(second)).toEqual(["acme", "Beta"]);
      await second.call("POST", "/v1/organizations", { body: { name: "Gamma" } });
    }
    await using third = await under();
    expect(await names(third), "nothing was written behind half a line").toEqual(["acme", "Beta", "Gamma"]);
  });

  it("reads a hash that a version before wrote as null as none that was said", async () => {
    const path = `/v1/projects/${REF}/functions`;
    let hash: unknown;
    {
      await using first = await under();
      await first.call("POST", path, { body: { slug: "hello", name: "hello", body: "1" } });
      hash = (await first.call("GET", path)).json;
    }
    const [journal = ""] = await journals();
    const text = await readFile(join(folder, journal), "utf8");
    const older = text.replace('"slug":"hello",', '"slug":"hello","declaredSha256":null,');
    expect(older).not.toBe(text);
    await writeFile(join(folder, journal), older);
    await using second = await under();
    expect((await second.call("GET", path)).json).toEqual(hash);
  });

  it("of another version is told by its path, and that an empty one starts anew", async () => {
    await (await under())[Symbol.asyncDispose]();
    const [journal = ""] = await journals();
    await appendFile(join(folder, journal), '[["users","x",{"id":"x"}]]\n');
    const says = "use the version that wrote it, or an empty folder, which starts anew";
    await expect(under()).rejects.toThrow(
      `${folder}: a row of table users (field username) is not of this version: ${says}`,
    );
  });

  it("of another format is told by its path, with both formats, and what to do", async () => {
    await (await under())[Symbol.asyncDispose]();
    await writeFile(join(folder, "snapshot-1.jsonl"), '{"format":1,"rows":0}\n');
    await expect(under()).rejects.toThrow(
      /^(.+): snapshot-1\.jsonl, line 1 is of format 1, this version's is \d+: use the version that wrote it, or an empty folder, which starts anew$/,
    );
    await expect(under()).rejects.toThrow(`${folder}: `);
  });

  it.each([
    { line: "{]", says: "is damaged", because: "a whole line is no JSON" },
    { line: '{"other":1}', says: "not of this version", because: "the lines have another form" },
    {
      line: '[["nosuch","x",{}]]',
      says: "table nosuch is not of this version",
      because: "there is a table that it does not know",
    },
    { line: '[["users","x",{"id":"x"}]]', says: "table users (field username)", because: "a row lacks a field" },
  ])("is refused when $because, and left as it is", async ({ line, says }) => {
    await (await under())[Symbol.asyncDispose]();
    const [journal = ""] = await journals();
    await appendFile(join(folder, journal), `${line}\n`);
    const before = await readFile(join(folder, journal), "utf8");
    await expect(under()).rejects.toThrow(says);
    expect(await readFile(join(folder, journal), "utf8")).toBe(before);
  });

  it.each([
    { path: "/proc/state", says: "cannot be made", because: "the file system makes none" },
    { path: "lock", says: "lock is no folder", because: "a file is in the way" },
  ])("is refused when $because", async ({ path, says }) => {
    await writeFile(join(folder, "lock"), "");
    await expect(emulatorUnderTest({ dataDir: resolve(folder, path) })).rejects.toThrow(says);
  });

  it("belongs to one emulator at a time", async () => {
    await using first = await under();
    await expect(under()).rejects.toThrow("is in use by process");
    expect((await first.call("GET", "/v1/organizations")).status).toBe(200);
  });

  it.runIf(process.platform === "linux")(
    "is taken over from a process that is killed and not yet seen to",
    async () => {
      // the shell's child is killed, and its parent, a sleep by then, never asks for it
      const parent = spawn("/bin/sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      try {
        const [pid = ""] = (await once(parent.stdout, "data")).map(String);
        // a shell would still ask for its children
        await vi.waitFor(() => shows(`/proc/${parent.pid ?? 0}/comm`, /^sleep$/m), 10_000);
        process.kill(Number(pid), "SIGKILL");
        await vi.waitFor(() => shows(`/proc/${pid.trim()}/status`, /State:\s*Z/), 10_000);
        await writeFile(join(folder, "lock"), pid);
        await using first = await under();
        expect((await first.call("GET", "/v1/organizations")).status).toBe(200);
      } finally {
        parent.kill("SIGKILL");
      }
    },
  );

  it("is taken over from a process that is gone", async () => {
    const gone = spawn(process.execPath, ["-e", ""]);
    await once(gone, "exit");
    await writeFile(join(folder, "lock"), `${gone.pid ?? 0}\n`);
    await using first = await under();
    expect((await first.call("GET", "/v1/organizations")).status).toBe(200);
  });
});

describe("a start that fails", () => {
  it.each([
    {
      because: "the seed contradicts itself",
      options: { seed: { projects: [{ name: "shop", organization: "nowhere" }] } },
    },
    { because: "the address is not there", options: { host: "203.0.113.1" } },
  ])("gives the folder back, without what it had begun, when $because", async ({ options }) => {
    await expect(emulatorUnderTest({ dataDir: folder, ...options })).rejects.toThrow(
      /nowhere|no address of this machine/,
    );
    expect(await readdir(folder)).not.toContain("lock");
    await using next = await emulatorUnderTest({ dataDir: folder });
    expect((await next.control.state.read()).organizations.map(({ slug }) => slug)).toEqual(["acme"]);
  });
});

describe("kill -9", () => {
  const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  async function start(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
    const flags = [
      "emulator",
      "--port",
      "0",
      "--token",
      TOKEN,
      "--no-limits",
      "--log-level",
      "error",
      "--data-dir",
      folder,
    ];
    const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    for await (const url of createInterface(child.stdout)) return { child, url };
    throw new Error("the emulator ended before it listened");
  }

  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

  /** Creates organizations from several clients at once until the connection breaks. @returns the names that were acknowledged */
  async function createUntilBroken(url: string, prefix: string, onCreated: () => void): Promise<readonly string[]> {
    const made: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, async (_, client) => {
        for (let index = 0; index < 5000; index += 1) {
          const name = `${prefix}-${client}-${index}`;
          try {
            const response = await fetch(`${url}/v1/organizations`, {
              method: "POST",
              headers,
              body: JSON.stringify({ name }),
            });
            if (response.status !== 201) return;
            await response.arrayBuffer();
          } catch {
            return;
          }
          made.push(name);
          onCreated();
        }
      }),
    );
    return made;
  }

  it("at any moment loses nothing that was acknowledged", async () => {
    const acknowledged: string[] = [];
    for (const [round, killAfter] of [3, 50, 211].entries()) {
      const { child, url } = await start();
      let count = 0;
      const made = await createUntilBroken(url, `r${round}`, () => {
        count += 1;
        if (count === killAfter) child.kill("SIGKILL");
      });
      acknowledged.push(...made);
    }
    const { child, url } = await start();
    const listed = z
      .array(z.looseObject({ name: z.string() }))
      .parse(await (await fetch(`${url}/v1/organizations`, { headers })).json());
    const there = new Set(listed.map(({ name }) => name));
    expect(acknowledged.length).toBeGreaterThan(200);
    expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
    child.kill("SIGTERM");
    await once(child, "exit");
  });
});
