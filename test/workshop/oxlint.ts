import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { run } from "../support/programs/run.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** What the project's linting is made of. */
const settings = ["oxlint.config.ts", "tools/lint", "package.json", "tsconfig.json"];

const reportSchema = z.object({ diagnostics: z.array(z.object({ filename: z.string(), code: z.string() })) });

/** The rules that fired, by file. */
export type Findings = ReadonlyMap<string, readonly string[]>;

/**
 * Lints files with the project's own settings, in a folder laid out as the repository.
 *
 * @param files path relative to the repository, and text
 */
export async function lint(files: ReadonlyMap<string, string>): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  try {
    for (const path of settings) cpSync(join(repository, path), join(folder, path), { recursive: true });
    symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const result = await run(join(repository, "node_modules/.bin/oxlint"), ["--type-aware", "--format=json"], {
      cwd: folder,
    });
    const { diagnostics } = reportSchema.parse(JSON.parse(result.stdout));
    const findings = new Map<string, string[]>();
    for (const { filename, code } of diagnostics) findings.set(filename, [...(findings.get(filename) ?? []), code]);
    return findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
