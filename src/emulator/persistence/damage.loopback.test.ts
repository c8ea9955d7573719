import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { deployForm, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";

const REF = "abcdefghijklmnopqrst";
const FUNCTIONS = `/v1/projects/${REF}/functions`;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-damage-"));
});
afterEach(async () => {
  for (const path of [folder, moved()]) await rm(path, { recursive: true, force: true });
});

const moved = (): string => `${folder}-moved`;

const under = (): Promise<EmulatorUnderTest> =>
  emulatorUnderTest({ dataDir: folder, seed: { projects: [{ name: "shop", ref: REF }] } });

async function deploy({ call }: EmulatorUnderTest, text: string): Promise<number> {
  const body = deployForm({ entrypoint_path: "index.ts" }, { "index.ts": text });
  return (await call("POST", `${FUNCTIONS}/deploy?slug=hello`, { body })).status;
}

describe("a disk that refuses an upload", () => {
  it("ends the saving: nothing is said from then on that a restart would not know", async () => {
    const first = await under();
    expect(await deploy(first, "1")).toBe(201);
    await rm(join(folder, "bytes"), { recursive: true });
    await writeFile(join(folder, "bytes"), "in the way");
    const made = [1, 2, 3, 4].map((number) =>
      first.call("POST", "/v1/organizations", { body: { name: `Beta ${number}` } }),
    );
    const [deployed, ...answers] = await Promise.all([deploy(first, "2"), ...made]);
    expect(deployed).toBe(500);
    const acknowledged = answers.filter(({ status }) => status === 201).length;
    expect((await first.call("GET", FUNCTIONS)).status, "would show version 2").toBe(500);
    expect((await first.call("POST", "/v1/organizations", { body: { name: "Gamma" } })).status).toBe(500);
    await expect(first[Symbol.asyncDispose]()).rejects.toThrow("ENOTDIR");

    const names = await readdir(folder);
    expect(names, "is given back all the same").not.toContain("lock");
    const lines = (await readFile(join(folder, "journal-1.jsonl"), "utf8")).split("\n");
    const saved = lines.filter((line) => line.includes('["organizations"') && line.includes("Beta"));
    expect(saved.length).toBeGreaterThanOrEqual(acknowledged);
  });
});

describe("a folder that is removed while the emulator runs", () => {
  it("ends the saving too: nothing is acknowledged that nobody will find", async () => {
    const first = await under();
    await rm(folder, { recursive: true });
    expect((await first.call("POST", "/v1/organizations", { body: { name: "Beta" } })).status).toBe(500);
    await expect(first[Symbol.asyncDispose]()).rejects.toThrow("the journal was removed");
  });

  it("is told by its path, and what to do", async () => {
    const says = "restore the folder as a whole, or use an empty one, which starts anew";
    const first = await under();
    await rm(folder, { recursive: true });
    await first.call("POST", "/v1/organizations", { body: { name: "Beta" } });
    const journal = `${folder}: the journal was removed while it was written: ${says}`;
    await expect(first[Symbol.asyncDispose]()).rejects.toThrow(journal);
    const second = await under();
    await rm(join(folder, "bytes"), { recursive: true });
    expect(await deploy(second, "1")).toBe(500);
    const part = `${folder}: a part of it was removed while it was used: ${says}`;
    await expect(second[Symbol.asyncDispose]()).rejects.toThrow(part);
  });

  it("takes no SQL either: a database that is open would write to files that nobody will find", async () => {
    const first = await under();
    const sql = async (query: string): Promise<number> =>
      (await first.call("POST", `/v1/projects/${REF}/database/query`, { body: { query } })).status;
    expect(await sql("create table t (x text); insert into t values ('1')")).toBe(201);
    expect(await sql("insert into t values ('2')")).toBe(201);
    await rm(folder, { recursive: true });
    expect(await sql("insert into t values ('3')")).toBe(500);
    await first[Symbol.asyncDispose]();
  });

  it("takes no SQL where a folder was made anew in the place of a database that is open", async () => {
    await using first = await under();
    const sql = async (query: string): Promise<number> =>
      (await first.call("POST", `/v1/projects/${REF}/database/query`, { body: { query } })).status;
    expect(await sql("create table t (x text); insert into t values ('1')")).toBe(201);
    expect(await sql("insert into t values ('2')")).toBe(201);
    const database = join(folder, "databases", REF);
    await rm(database, { recursive: true });
    await mkdir(database);
    expect(await sql("insert into t values ('3')")).toBe(500);
  });

  it.each([
    { what: "moved", next: () => Promise.resolve() },
    { what: "moved, and a copy is in its place", next: () => cp(moved(), folder, { recursive: true }) },
  ])("takes nothing either when it is $what", async ({ next }) => {
    const first = await under();
    await rename(folder, moved());
    await next();
    expect((await first.call("POST", "/v1/organizations", { body: { name: "Beta" } })).status).toBe(500);
    await expect(first[Symbol.asyncDispose]()).rejects.toThrow("the journal was removed");
  });
});

describe("a folder that lacks something", () => {
  /** Two starts, the second one with a journal so long that it gives way to a snapshot with rows. */
  async function used(): Promise<void> {
    for (const name of ["Beta", "Gamma"]) {
      await using one = await under();
      await one.control.settings.patch({ domain: "x".repeat(2 ** 20) });
      await one.call("POST", "/v1/organizations", { body: { name } });
    }
  }

  it.each([
    {
      file: "snapshot-2.jsonl",
      what: "the end of the snapshot, by lines",
      change: (text: string) => withoutLine(text),
    },
    { file: "snapshot-2.jsonl", what: "the end of the snapshot", change: (text: string) => text.slice(0, -20) },
    { file: "snapshot-2.jsonl", what: "the snapshot's rows", change: () => "" },
    { file: "snapshot-2.jsonl", what: "the snapshot", change: () => undefined },
    { file: "journal-2.jsonl", what: "the journal", change: () => undefined },
  ])("is refused instead of read as far as it goes: $what", async ({ file, change }) => {
    await used();
    const changed = change(await readFile(join(folder, file), "utf8"));
    if (changed === undefined) await rm(join(folder, file));
    else await writeFile(join(folder, file), changed);
    const before = await readdir(folder);
    const says = await under().then(String, String);
    expect(says).toContain(`${folder}: `);
    expect(says).toContain(": restore the folder as a whole, or use an empty one, which starts anew");
    expect(await readdir(folder)).toEqual(before);
  });
});

function withoutLine(text: string): string {
  return text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
}
