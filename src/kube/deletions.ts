import type { KubeObject } from "../resources/meta.ts";
import { compareResourceVersions } from "./resource-version.ts";

/** How many of each are remembered: answers come late by seconds, not by thousands of deletions. */
const REMEMBERED = 4096;

/**
 * What has been deleted lately, so that events and answers that come late do not bring it back. A uid never comes back at all; a name
 * does, but only at a newer version.
 */
export class Deletions {
  readonly #uids = new Set<string>();
  /** Newest version that a name was known to have, by name, oldest deletion first. */
  readonly #versions = new Map<string, string>();

  /** Something with this uid was deleted. */
  noteUid(uid: string): void {
    this.#uids.add(uid);
    dropOldest(this.#uids);
  }

  /** The name has been free since this version at least. */
  noteVersion(name: string, version: string): void {
    const known = this.#versions.get(name);
    if (known !== undefined && compareResourceVersions(known, version) === "newer") return;
    this.#versions.delete(name);
    this.#versions.set(name, version);
    dropOldest(this.#versions);
  }

  hasUid(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** Whether the object is of a time before the last deletion of its name. */
  isPast(name: string, { metadata }: KubeObject): boolean {
    const version = this.#versions.get(name);
    if (version === undefined) return false;
    const order = compareResourceVersions(metadata.resourceVersion, version);
    return order === "older" || order === "same";
  }

  clear(): void {
    this.#uids.clear();
    this.#versions.clear();
  }
}

function dropOldest(remembered: Set<string> | Map<string, string>): void {
  if (remembered.size <= REMEMBERED) return;
  for (const oldest of remembered.keys()) {
    remembered.delete(oldest);
    return;
  }
}
