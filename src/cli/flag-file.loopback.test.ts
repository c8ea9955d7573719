import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { readCertificates } from "./flag-file.ts";

const [ONE = "", OTHER = ""] = rootCertificates;
const WRONG = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----";

async function read(...certificates: readonly string[]): Promise<{ readonly ca: string; readonly warned: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "ca.pem");
  writeFileSync(path, certificates.join("\n"));
  const warned: string[] = [];
  const ca = await readCertificates("ca-file", path, (text) => warned.push(text.replace(path, "ca.pem")));
  return { ca, warned };
}

it("a certificate that cannot be read is left out, and the others are trusted", async () => {
  const { ca, warned } = await read(ONE, WRONG, OTHER, WRONG);
  expect(ca).toBe(`${ONE}\n${OTHER}`);
  expect(warned).toEqual([
    "--ca-file: ca.pem holds a certificate that cannot be read and is left out: number 2, 4 of 4",
  ]);
});

it("nothing is warned of where all can be read", async () => {
  expect(await read(ONE, OTHER)).toEqual({ ca: `${ONE}\n${OTHER}`, warned: [] });
});

it("none that can be read is an error", async () => {
  await expect(read(WRONG, WRONG)).rejects.toThrow("holds a certificate that cannot be read");
});
