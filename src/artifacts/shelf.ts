import type { ReadEntry } from "tar/read-entry";
import { entryPath } from "./entry-path.ts";
import { refused } from "./errors.ts";
import { type ArtifactLimits, inMib } from "./limits.ts";

/** A file of an artifact. */
export interface ArtifactFile {
  /** relative to the folder that was asked for, with '/' between its parts */
  readonly path: string;
  readonly content: Uint8Array;
}

/** Entries of these types are taken; all else (links, devices, pipes, what nobody knows) has no place in a source. */
const FILES: ReadonlySet<string> = new Set(["File", "OldFile"]);

/** Where the entries of one archive go: those below the folder are kept, the others are looked at and let go. */
export class Shelf {
  readonly #folder: string;
  readonly #limits: ArtifactLimits;
  readonly #kept = new Map<string, Uint8Array>();
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  #entries = 0;
  #bytes = 0;

  /** @param folder "" for the whole archive */
  constructor(folder: string, limits: ArtifactLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** What was kept, in the archive's order. */
  files(): readonly ArtifactFile[] {
    return [...this.#kept].map(([path, content]) => ({ path, content }));
  }

  /** Takes an entry, and its content as it comes. @throws ArtifactError Refused */
  take(entry: ReadEntry): void {
    const { entries, pathLength } = this.#limits;
    this.#entries += 1;
    if (this.#entries > entries) throw refused(`the archive has more than ${entries} files and folders`);
    const path = entryPath(entry.path, pathLength);
    if (entry.type === "Directory") this.#noteFolder(path);
    else if (FILES.has(entry.type)) this.#noteFile(path);
    else throw refused(`the archive has something that is neither file nor folder: ${shown(path)}`);
    const wanted = FILES.has(entry.type) ? this.#wantedPath(path) : undefined;
    if (wanted === undefined) entry.resume();
    else this.#keep(wanted, entry);
  }

  #noteFile(path: string): void {
    if (path === "") throw refused("the archive has a file without a name");
    if (this.#files.has(path)) throw refused(`the archive has two files of one path: ${shown(path)}`);
    if (this.#folders.has(path)) throw refused(`the archive has a file and a folder of one path: ${shown(path)}`);
    this.#files.add(path);
    const end = path.lastIndexOf("/");
    if (end !== -1) this.#noteFolder(path.slice(0, end));
  }

  #noteFolder(path: string): void {
    for (let folder = path; folder !== "" && !this.#folders.has(folder);) {
      if (this.#files.has(folder)) throw refused(`the archive has a file and a folder of one path: ${shown(folder)}`);
      this.#folders.add(folder);
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
    }
  }

  /** The path below the folder; undefined for what lies elsewhere. */
  #wantedPath(path: string): string | undefined {
    const folder = this.#folder;
    if (folder === "") return path;
    return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
  }

  #keep(path: string, entry: ReadEntry): void {
    const { wantedFiles, wantedBytes, wantedPathLength } = this.#limits;
    if (path.length > wantedPathLength) {
      throw refused(`the source has a path of more than ${wantedPathLength} characters: ${shown(path)}`);
    }
    if (this.#kept.size >= wantedFiles) throw refused(`the source has more than ${wantedFiles} files`);
    const chunks: Uint8Array[] = [];
    this.#kept.set(path, new Uint8Array());
    entry.on("data", (chunk) => {
      this.#bytes += chunk.length;
      if (this.#bytes > wantedBytes) throw refused(`the files of the source have more than ${inMib(wantedBytes)}`);
      chunks.push(Buffer.from(chunk)); // a copy: what is handed out here is a part of a larger one
    });
    entry.on("end", () => void this.#kept.set(path, Buffer.concat(chunks)));
  }
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 120).toWellFormed());
}
