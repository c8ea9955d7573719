import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BytesFolder } from "./bytes-folder.ts";
import { nameOfBytes } from "./codec.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baas-bytes-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const uploads = (...texts: readonly string[]): readonly Buffer[] => texts.map((text) => Buffer.from(text));
const files = (): readonly string[] => readdirSync(folder);

/** Puts and saves. @returns the names */
async function saved(bytes: BytesFolder, ...texts: readonly string[]): Promise<readonly string[]> {
  const names = uploads(...texts).map((one) => bytes.put(one));
  await bytes.save();
  return names;
}
const read = (names: readonly string[], from = new BytesFolder(folder)): readonly string[] =>
  names.map((name) => Buffer.from(from.get(name)).toString());

function isThere(bytes: BytesFolder, name: string): boolean {
  try {
    return bytes.get(name).length > 0;
  } catch {
    return false;
  }
}

describe("uploads that come together", () => {
  it("are one file, however many they are, and are found again each by itself", async () => {
    const texts = ["", "\n", ...Array.from({ length: 1000 }, (_, index) => `upload ${index}`)];
    const names = await saved(new BytesFolder(folder), ...texts);
    expect(files()).toHaveLength(1);
    expect(read(names)).toEqual(texts);
  });

  it("do not hold on to each other once they are read", async () => {
    const [small = ""] = await saved(new BytesFolder(folder), "small", "large".repeat(100_000));
    expect(new BytesFolder(folder).get(small).buffer.byteLength).toBeLessThan(10_000);
  });

  it("are written once, also when they come while they are being written", async () => {
    const bytes = new BytesFolder(folder);
    const all = [saved(bytes, "a", "b"), saved(bytes, "b", "c"), saved(bytes, "a", "b", "c")];
    const names = (await Promise.all(all)).flat();
    expect(read(names)).toEqual(["a", "b", "b", "c", "a", "b", "c"]);
    expect(files().reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)).toBeLessThan(200);
    expect(bytes.save()).toBeUndefined();
  });

  it("are saved when those before them are: what the disk refused once is the end", async () => {
    const bytes = new BytesFolder(folder);
    mkdirSync(join(folder, nameOfBytes(Buffer.from("first")), "in the way"), { recursive: true });
    const all = uploads("first", "second").map((one) => {
      bytes.put(one);
      return bytes.save() ?? Promise.resolve();
    });
    expect(await Promise.allSettled(all)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    await expect(bytes.save()).rejects.toThrow("EISDIR");
  });

  it.each([
    { what: "gone", change: (file: string) => rmSync(file), says: "cannot be read" },
    { what: "of another form", change: (file: string) => writeFileSync(file, "x"), says: "was changed" },
    {
      what: "of other bytes",
      change: (file: string) => writeFileSync(file, '[["x",1]]\nx'),
      says: "cannot be read",
    },
  ])("are refused where their file is $what", async ({ change, says }) => {
    const names = await saved(new BytesFolder(folder), "a", "b");
    change(join(folder, files()[0] ?? ""));
    expect(() => read(names)).toThrow(says);
  });
});

describe("a sweep", () => {
  const five = ["a", "b", "c", "d", "e"] as const;
  it.each([
    { used: ["a", "b", "c", "d", "e"], why: "leaves what is in use", left: 5 },
    { used: ["a", "b", "c"], why: "leaves a pack of which the larger part is", left: 5 },
    { used: ["a", "e"], why: "writes the smaller part anew", left: 2 },
    { used: ["e"], why: "also where that is one alone", left: 1 },
    { used: [], why: "removes what is not", left: 0 },
  ])("$why: $used", async ({ used, left }) => {
    const bytes = new BytesFolder(folder);
    const names = await saved(bytes, ...five);
    writeFileSync(join(folder, "left.new"), "by a crash");
    bytes.begin();
    const kept = uploads(...used).map((one) => bytes.put(one));
    await bytes.sweep();
    for (const from of [bytes, new BytesFolder(folder)]) {
      expect(read(kept, from)).toEqual(used);
      expect(names.filter((name) => isThere(from, name))).toHaveLength(left);
    }
    expect(files()).toHaveLength(used.length === 0 ? 0 : 1);
  });

  it("keeps what comes while it is under way, also the same that it removes", async () => {
    const bytes = new BytesFolder(folder);
    await saved(bytes, ...five);
    await saved(bytes, "alone");
    bytes.begin();
    bytes.put(Buffer.from("a"));
    const swept = bytes.sweep();
    await new Promise(setImmediate); // it has removed what nobody needs, and is writing the part of the pack
    const names = [...(await saved(bytes, "alone")), ...(await saved(bytes, "b", "c"))];
    await swept;
    expect(read(names)).toEqual(["alone", "b", "c"]);
    expect(read([bytes.put(Buffer.from("a"))])).toEqual(["a"]);
  });
});
