import { statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Journal } from "./journal.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-journal-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("a journal", () => {
  it("shares a write among all that came before it, and lets every one of them go when it is done", async () => {
    const path = join(folder, "journal");
    const journal = await Journal.open(path);
    const [writers, lines] = [50, 20];
    const sizes = new Set<number>();
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let line = 0; line < lines; line += 1) {
          await journal.append([`${writer} ${line}`]);
          sizes.add(statSync(path).size);
        }
      }),
    );
    await journal.close();
    // where a write lets only one go, there are about as many writes as lines
    expect(sizes.size).toBeLessThan((writers * lines) / 5);
    const written = (await readFile(path, "utf8")).split("\n").slice(0, -1);
    expect(written).toHaveLength(writers * lines);
    for (let writer = 0; writer < writers; writer += 1) {
      const own = written.filter((line) => line.startsWith(`${writer} `));
      expect(own).toEqual(Array.from({ length: lines }, (_, line) => `${writer} ${line}`));
    }
  });

  it("that follows something is empty until that is over, and then has its lines in their order", async () => {
    const path = join(folder, "journal");
    const before = Promise.withResolvers<void>();
    const journal = await Journal.open(path);
    journal.follow(before.promise);
    const all = Promise.all([journal.append(["1"]), journal.append(["2", "3"]), journal.append()]);
    // others are written meanwhile
    for (const name of ["a", "b", "c"]) {
      const other = await Journal.open(join(folder, name));
      await other.append([name]);
      await other.close();
    }
    expect(await readFile(path, "utf8")).toBe("");
    before.resolve();
    await all;
    expect(await readFile(path, "utf8")).toBe("1\n2\n3\n");
    await journal.close();
  });

  it("takes nothing, and says why, when what it follows fails", async () => {
    const path = join(folder, "journal");
    const journal = await Journal.open(path);
    journal.follow(Promise.reject(new Error("no room")));
    await expect(journal.append(["1"])).rejects.toThrow("no room");
    await expect(journal.append()).rejects.toThrow("no room");
    await journal.close();
    expect(await readFile(path, "utf8")).toBe("");
  });
});
