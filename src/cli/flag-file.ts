import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { UsageError } from "./flags.ts";

/** Files that flags name: what is wrong with one is told by its flag, and no line of it is repeated. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "it may not be read",
  EISDIR: "it is a folder",
};

/** Why a file cannot be read, or the error's own words where that is something else. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error));
}

/** @throws UsageError with the flag, the file and why it cannot be read */
export async function readFlagFile(flag: string, path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`--${flag}: cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  });
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/gu;

/**
 * PEM certificates from a file. Node.js passes over what is none: a wrong file would be a certificate that is not trusted, found at the first request. One that
 * cannot be read is left out where there are others, as it would end the start for no more than its own server, and Node.js might not read beyond it.
 *
 * @param warn is told which one is left out
 * @throws UsageError where no certificate is left
 */
export async function readCertificates(flag: string, path: string, warn: (text: string) => void): Promise<string> {
  const found = (await readFlagFile(flag, path)).match(CERTIFICATE);
  if (found === null) throw new UsageError(`--${flag}: ${path} holds no PEM certificate`);
  const unreadable = new Set(found.keys().filter((n) => !isReadable(found[n] ?? "")));
  const numbers = [...unreadable].map((n) => n + 1).join(", ");
  const text = `--${flag}: ${path} holds a certificate that cannot be read`;
  if (unreadable.size === found.length) throw new UsageError(text);
  if (unreadable.size > 0) warn(`${text} and is left out: number ${numbers} of ${found.length}`);
  return found.filter((_, n) => !unreadable.has(n)).join("\n");
}

function isReadable(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
