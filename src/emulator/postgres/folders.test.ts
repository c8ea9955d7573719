import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
    made("a.removed", "of before");
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
});
