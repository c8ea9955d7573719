import { createHash } from "node:crypto";

/** One file of a function's source. */
export interface SourceFile {
  /** relative, with '/' between its parts */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** What is bundled, and how. */
export interface BundleSettings {
  readonly entrypoint: string;
  readonly importMap?: string | undefined;
  readonly staticPatterns?: readonly string[] | undefined;
}

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Digest of everything that a bundle is made from: paths, contents and bundling settings. Lengths stand before contents, so that no two
 * sources give the same bytes; the order in which files and patterns are listed does not count.
 */
export function sourceHash(files: readonly SourceFile[], settings: BundleSettings): string {
  const { entrypoint, importMap = null, staticPatterns = [] } = settings;
  const hash = createHash("sha256");
  hash.update(JSON.stringify([entrypoint, importMap, staticPatterns.toSorted(byText)]));
  for (const { path, content } of files.toSorted((a, b) => byText(a.path, b.path))) {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    hash.update(`\n${JSON.stringify(path)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
