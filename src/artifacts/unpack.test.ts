import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { archiveOf, paxPath, tar, type TarEntry, targz } from "../../test/support/artifacts/tar.ts";
import { defaultLimits } from "./limits.ts";
import { unpack } from "./unpack.ts";

const { signal } = new AbortController();
const SMALL = {
  ...defaultLimits,
  unpackedBytes: 256 * 1024,
  wantedBytes: 64 * 1024,
  wantedFiles: 20,
  entries: 40,
  pathLength: 200,
  wantedPathLength: 100,
};

async function unpacked(archive: Uint8Array, folder = ""): Promise<Readonly<Record<string, string>>> {
  const files = await unpack(archive, { folder, limits: SMALL, signal });
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString("utf8")]));
}

const refusal = expect.objectContaining({ code: "Refused" });
const file = (path: string, content = "x"): TarEntry => ({ path, content });

describe("an archive", () => {
  it("gives its files, text and binary, in whatever way their paths are written", async () => {
    const long = `${"d".repeat(60)}/${"f".repeat(38)}`;
    const archive = targz([
      { path: "./", type: "5" },
      file("./index.ts", "serve()"),
      { path: "lib/", type: "5" },
      file("lib/db.ts", "query()"),
      paxPath(long),
      file("short", "long"),
      { path: "gnu", type: "L", content: "gnu-long.ts\0" },
      file("short", "gnu"),
      file("empty", ""),
      { path: "logo", content: Uint8Array.from([0, 255, 128]) },
    ]);
    const files = await unpack(archive, { folder: "", limits: SMALL, signal });
    expect(
      Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString("latin1")])),
    ).toEqual({
      "index.ts": "serve()",
      "lib/db.ts": "query()",
      [long]: "long",
      "gnu-long.ts": "gnu",
      empty: "",
      logo: "\u0000\u00ff\u0080",
    });
  });

  it("gives what lies below a folder, and nothing of one that is only called alike", async () => {
    const archive = archiveOf({
      "fn/a.ts": "a",
      "fn/lib/b.ts": "b",
      "fn-other/c.ts": "c",
      "x/fn/d.ts": "d",
      "e.ts": "e",
    });
    expect(await unpacked(archive, "fn")).toEqual({ "a.ts": "a", "lib/b.ts": "b" });
    expect(await unpacked(archive, "fn/lib")).toEqual({ "b.ts": "b" });
    expect(await unpacked(archive, "nowhere")).toEqual({});
  });

  it("gives a file of many chunks whole", async () => {
    const text = Array.from({ length: 9000 }, (_, line) => `${line}\n`).join("");
    expect(await unpacked(archiveOf({ "a.ts": text, "b.ts": "b" }))).toEqual({ "a.ts": text, "b.ts": "b" });
  });

  it("is no one's whom it is taken from by an abort", async () => {
    const aborted = AbortSignal.abort(new Error("the run is over"));
    await expect(unpack(archiveOf({ a: "a" }), { folder: "", limits: SMALL, signal: aborted })).rejects.toThrow(
      "the run is over",
    );
  });
});

describe("an archive is refused as a whole, whatever folder of it is wanted", () => {
  const good = [file("fn/index.ts")];
  it.each([
    ["a symbolic link", [{ path: "fn/link", type: "2", link: "/etc/passwd" }]],
    ["a symbolic link elsewhere", [{ path: "other", type: "2", link: "fn" }]],
    ["a hard link", [{ path: "fn/hard", type: "1", link: "fn/index.ts" }]],
    ["a character device", [{ path: "fn/null", type: "3" }]],
    ["a block device", [{ path: "fn/disk", type: "4" }]],
    ["a pipe", [{ path: "fn/pipe", type: "6" }]],
    ["an entry of an unknown type", [{ path: "fn/unknown", type: "Z" }]],
    ["an absolute path", [file("/fn/index.ts")]],
    ["an absolute path in a pax header", [paxPath("/etc/passwd"), file("fn/a.ts")]],
    ["a path that leaves the archive", [file("fn/../../x.ts")]],
    ["a path that leaves the archive in a pax header", [paxPath("../x.ts"), file("fn/a.ts")]],
    ["a folder that leaves the archive", [{ path: "../", type: "5" }]],
    ["a path with a dot", [file("fn/./a.ts")]],
    ["a path with another slash", [file("fn\\a.ts")]],
    ["a path twice", [file("fn/index.ts", "other")]],
    ["a path twice, written differently", [file("./fn/index.ts", "other")]],
    ["a file that is a folder", [file("fn")]],
    ["a folder that is a file", [file("fn/index.ts/more")]],
    ["a path that is too long", [paxPath(`${"x".repeat(210)}`), file("a")]],
    ["a path that is too long below the folder", [paxPath(`fn/${"x".repeat(110)}`), file("a")]],
    ["a header that is too long", [paxPath("x".repeat(40_000)), file("a")]],
    ["too many entries", Array.from({ length: 50 }, (_, n) => file(`other/${n}`))],
    ["too many folders", Array.from({ length: 50 }, (_, n): TarEntry => ({ path: `other/${n}/`, type: "5" }))],
    ["too many wanted files", Array.from({ length: 25 }, (_, n) => file(`fn/${n}`))],
    ["a wanted file that is too long", [file("fn/large", "x".repeat(70_000))]],
    ["wanted files that are too long together", [file("fn/a", "x".repeat(40_000)), file("fn/b", "x".repeat(40_000))]],
    ["more than it may when it is unpacked", [file("other/bomb", "x".repeat(300_000))]],
    ["a file that is cut off", [{ path: "fn/cut", content: "x", size: 100_000 }]],
  ] as const)("with %s", async (_what, bad: readonly TarEntry[]) => {
    await expect(unpacked(targz([...good, ...bad]), "fn")).rejects.toEqual(refusal);
    await expect(unpacked(targz([...good, ...bad, file("last")]), "fn")).rejects.toEqual(refusal);
    expect(await unpacked(targz([...good, file("last")]), "fn")).toEqual({ "index.ts": "x" });
  });

  const whole = archiveOf({ "fn/index.ts": "x".repeat(5000), "fn/b.ts": "b" });
  it.each([
    ["nothing at all", new Uint8Array()],
    ["text", Buffer.from("<html>not found</html>")],
    ["a tar archive without compression", tar(good)],
    ["something else that is compressed", gzipSync("x".repeat(5000))],
    ["compressed twice", gzipSync(targz(good))],
    ["without its end", whole.subarray(0, whole.length - 12)],
    ["without its second half", whole.subarray(0, whole.length / 2)],
    ["with a byte that is another", whole.map((byte, index) => (index === 40 ? byte ^ 0xff : byte))],
    ["cut off before it was compressed", gzipSync(tar([file("fn/index.ts", "x".repeat(5000))]).subarray(0, 1600))],
  ])("%s", async (_what, archive) => {
    await expect(unpacked(archive, "fn")).rejects.toEqual(refusal);
  });

  it("before a bomb has gone off: memory stays what the limits say", async () => {
    const bomb = gzipSync(
      Buffer.concat([
        tar([{ path: "fn/bomb", size: 512 * 1024 * 1024 }]).subarray(0, 512),
        Buffer.alloc(64 * 1024 * 1024),
      ]),
    );
    const before = process.memoryUsage().arrayBuffers;
    await expect(unpacked(bomb, "other")).rejects.toEqual(refusal);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });
});
