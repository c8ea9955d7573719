/** How much of an artifact is taken in: whoever publishes one is not trusted with the operator's memory, disk or time. */
export interface ArtifactLimits {
  /** longest archive as it is fetched, bytes */
  readonly archiveBytes: number;
  /** longest archive once it is decompressed, bytes, whatever of it is wanted */
  readonly unpackedBytes: number;
  /** of the files that are wanted, together, bytes */
  readonly wantedBytes: number;
  readonly wantedFiles: number;
  /** files and folders of the archive */
  readonly entries: number;
  /** of any file or folder, characters */
  readonly pathLength: number;
  /** of a wanted file below its folder, characters */
  readonly wantedPathLength: number;
  /** from the request to the last byte, milliseconds */
  readonly fetchMs: number;
}

const MIB = 1024 * 1024;

/** Several times what a function's source comes to, and with what is read at once (slots.ts) a fraction of a Pod's memory. */
export const defaultLimits: ArtifactLimits = {
  archiveBytes: 32 * MIB,
  unpackedBytes: 128 * MIB,
  wantedBytes: 10 * MIB,
  wantedFiles: 1000,
  entries: 20_000,
  pathLength: 1024,
  wantedPathLength: 256,
  fetchMs: 20_000,
};

/** A number of bytes as people read it. */
export function inMib(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB} MiB` : `${bytes} bytes`;
}
