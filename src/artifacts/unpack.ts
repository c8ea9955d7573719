import { createGunzip } from "node:zlib";
import { Parser } from "tar/parse";
import { isArtifactError, refused } from "./errors.ts";
import { type ArtifactLimits, inMib } from "./limits.ts";
import { type ArtifactFile, Shelf } from "./shelf.ts";

/** Longest header that names the entry after it (pax, GNU), bytes: the longest path with room for its other fields. */
const META_BYTES = 16 * 1024;

interface UnpackOptions {
  /** files below it are wanted; "" for all of them */
  readonly folder: string;
  readonly limits: ArtifactLimits;
  readonly signal: AbortSignal;
}

/**
 * The wanted files of a gzipped tar archive. Nothing is written anywhere, and of the rest nothing is kept; yet all of the archive is held to the
 * same rules, since one that is hostile anywhere is not trusted elsewhere: files and folders alone, plain relative paths, none twice, all whole.
 *
 * @throws ArtifactError Refused; the signal's reason when it aborts
 */
export async function unpack(archive: Uint8Array, options: UnpackOptions): Promise<readonly ArtifactFile[]> {
  const { folder, limits, signal } = options;
  const shelf = new Shelf(folder, limits);
  try {
    await feed(archive, parserInto(shelf), { limits, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (isArtifactError(error)) throw error;
    throw refused("the artifact is no whole gzipped tar archive", error);
  }
  return shelf.files();
}

function parserInto(shelf: Shelf): Parser {
  return new Parser({
    strict: true,
    maxMetaEntrySize: META_BYTES,
    // A second compression inside of the first would not be counted: nothing may come of it.
    maxDecompressionRatio: 0,
    onReadEntry: (entry) => shelf.take(entry),
  });
}

async function feed(
  archive: Uint8Array,
  parser: Parser,
  { limits: { unpackedBytes }, signal }: Pick<UnpackOptions, "limits" | "signal">,
): Promise<void> {
  const failures: unknown[] = [];
  const seen = { end: false };
  parser.on("error", (error: unknown) => void failures.push(error));
  parser.on(
    "ignoredEntry",
    () => void failures.push(refused("the archive has something that is neither file nor folder")),
  );
  parser.on("end", () => {
    seen.end = true;
  });
  const requireHealth = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  const gunzip = createGunzip();
  gunzip.end(archive);
  let bytes = 0;
  for await (const chunk of gunzip) {
    signal.throwIfAborted();
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    if (bytes > unpackedBytes) throw refused(`the archive has more than ${inMib(unpackedBytes)} when it is unpacked`);
    parser.write(Buffer.from(chunk));
    requireHealth();
  }
  parser.end();
  requireHealth();
  if (!seen.end) throw refused("the archive ends in the middle of a file");
}
