import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflate } from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import { z } from "zod";

/**
 * A Chromium that comes in an npm package, with the libraries that it needs and a plain server does not have. Nothing is downloaded:
 * `npm ci` brought it.
 */

const bin = fileURLToPath(new URL("../bin/", import.meta.resolve("@sparticuz/chromium")));
const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(bin, "../package.json"), "utf8")));
/** Made anew for another version of the package. */
const folder = join(cache, `chromium-${version}-${process.arch}`);

/** The package's own looks under /tmp. Without any font a text has no size, and nobody can click on it. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(folder, "fonts")}</dir><cachedir>${join(folder, "fonts-cache")}</cachedir></fontconfig>
`;

/** Starts it without a window. It finds loopback addresses and no other. `CHROMIUM` names another program to use. */
export async function launchChromium(): Promise<Browser> {
  const own = process.env["CHROMIUM"];
  if (own === undefined) await unpack();
  return await chromium.launch({
    executablePath: own ?? join(folder, "chromium"),
    args: [
      "--no-sandbox", // as root there is none
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: tmpdir(),
      ...(own === undefined
        ? { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") }
        : {}),
    },
  });
}

/** Unpacks it once for all runs; of several at the same time one wins. */
async function unpack(): Promise<void> {
  if (existsSync(folder)) return;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("the Chromium of npm is for Linux on x64: set CHROMIUM to the program of this machine");
  }
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, "unpacking-"));
  try {
    await unpackInto(draft);
    await writeFile(join(draft, "fonts.conf"), FONTS);
    await rename(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The package unpacks to the folder for temporary files, wherever that is. */
async function unpackInto(draft: string): Promise<void> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = draft;
  try {
    const unpacked = await Promise.all(
      ["chromium.br", "fonts.tar.br", "al2023.tar.br"].map((name) => inflate(join(bin, name))),
    );
    const [program = ""] = unpacked;
    if (dirname(program) !== draft) throw new Error(`unpacked to ${program}`);
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
