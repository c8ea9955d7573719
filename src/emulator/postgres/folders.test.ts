import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Folders } from "./folders.ts";

let root = "";
let folders: Folders;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baas-folders-"));
  folders = new Folders(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Makes a folder with a file that says what it is. */
function made(name: string, is: string): string {
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, "is"), is);
  return join(root, name);
}
const found = (): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(root).map((name) => [name, readFileSync(join(root, name, "is"), "utf8")]));

describe("a database that takes the place of another", () => {
  it("leaves nothing else, not even of one that came to no end before", async () => {
    const old = made("a", "old");
    made("a.ready", "of before");
    made("a.replaced", "of before");
    await folders.finish(made("a.unfinished", "new"), old);
    expect(found()).toEqual({ a: "new" });
  });

  it("takes it also where nothing is there but one that came to no end before", async () => {
    made("a.ready", "of before");
    await folders.finish(made("a.unfinished", "new"), folders.of("a"));
    expect(found()).toEqual({ a: "new" });
  });

  it("leaves the other one for good where it cannot: no later start puts it there", async () => {
    const name = "a".repeat(248); // no name is longer than 255
    const old = made(name, "old");
    await expect(folders.finish(made("copy", "new"), old)).rejects.toThrow("ENAMETOOLONG");
    expect(found()).toEqual({ [name]: "old", copy: "new" });
    await folders.retain(new Set([name]));
    expect(found()).toEqual({ [name]: "old" });
  });

  describe("where the file system fails when it is its turn", () => {
    /** What fails of a database that takes the place of another: the renames with these numbers, from 1. */
    async function failed(...numbers: readonly number[]): Promise<string> {
      let renames = 0;
      folders = new Folders(root, (from, to) => {
        if (!numbers.includes((renames += 1))) return rename(from, to);
        return Promise.reject(new Error(`rename ${renames} fails`));
      });
      const old = made("a", "old");
      await expect(folders.finish(made("a.unfinished", "new"), old)).rejects.toThrow("fails");
      return old;
    }

    it.each([2, 3])("the other one stays, and no later start puts it there: rename %i", async (number) => {
      await failed(number);
      expect(found()).toEqual({ a: "old" });
    });

    it("the other one is there again as soon as it is asked for", async () => {
      const old = await failed(3, 4);
      expect(Object.values(found())).toEqual(["old"]);
      expect(await folders.has(old), "which would be made afresh otherwise").toBe(true);
      expect(found()).toEqual({ a: "old" });
    });

    it("the other one is there again at the next start, or gives way to the next one", async () => {
      const old = await failed(3, 4);
      await new Folders(root).retain(new Set(["a"]));
      expect(found()).toEqual({ a: "old" });
      rmSync(old, { recursive: true });
      await failed(3, 4);
      await folders.finish(made("a.unfinished", "newer"), old);
      expect(found()).toEqual({ a: "newer" });
    });

    it("what is written since is there still at the next start, whatever was left of the copy", async () => {
      const old = await failed(2);
      made("a.ready", "a copy that could not be removed");
      writeFileSync(join(old, "is"), "written since");
      await new Folders(root).retain(new Set(["a"]));
      expect(found()).toEqual({ a: "written since" });
    });

    it("none is made afresh while the other one cannot come back", async () => {
      const old = await failed(3, 4, 5);
      await expect(folders.has(old)).rejects.toThrow("rename 5 fails");
    });
  });

  it("nothing comes back of what was removed", async () => {
    const old = made("a", "old");
    made("a.replaced", "of before");
    await folders.removeOne(old);
    expect(await folders.has(old)).toBe(false);
    expect(found()).toEqual({});
  });

  it.each([{ there: ["a.ready"] }, { there: ["a", "a.ready"] }, { there: ["a.ready", "a.replaced"] }])(
    "nor of a copy that could neither take its place nor be removed: $there",
    async ({ there }) => {
      for (const name of there) made(name, name);
      await folders.removeOne(folders.of("a"));
      await new Folders(root).retain(new Set(["a"])); // a control call may give the ref again
      expect(found()).toEqual({});
    },
  );

  it.each([
    { what: "before the other one left", there: ["a", "a.ready"], is: "a" },
    { what: "when there was no other one", there: ["a.ready"], is: "a.ready" },
    { what: "when the other one had left", there: ["a.ready", "a.replaced"], is: "a.replaced" },
    { what: "when it was there", there: ["a", "a.replaced"], is: "a" },
  ])("a crash leaves the one or the other: $what", async ({ there, is }) => {
    for (const name of there) made(name, name);
    await folders.retain(new Set(["a"]));
    expect(found()).toEqual({ a: is });
  });
});

describe("a folder that cannot be looked at", () => {
  it("is not taken for one that is not there", async () => {
    writeFileSync(join(root, "file"), "");
    folders = new Folders(join(root, "file"));
    await expect(folders.has(folders.of("a"))).rejects.toThrow("ENOTDIR");
    await expect(folders.keeping(folders.of("a"), "", Promise.resolve())).rejects.toThrow("ENOTDIR");
    await folders.retain(new Set(["a"])); // a start without SQL needs none
  });
});
