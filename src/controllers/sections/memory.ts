import { createHash } from "node:crypto";
import type { StoreReader } from "../../kube/store.ts";
import { type Key, keyToString } from "../../runtime/key.ts";
import type { SectionReferences } from "./section-references.ts";

/** What a section was when it was last found in sync. */
interface Seen {
  readonly uid: string;
  /** of what is declared and of what it is made of */
  readonly digest: string;
  /** monotonic milliseconds */
  readonly lookedAtMs: number;
}

/** When the platform refused something of a section. */
interface SeenRefused {
  readonly uid: string;
  /** wall time, milliseconds */
  readonly atMs: number;
}

/** What of a section was asked for last and came to nothing, until somebody acts. */
interface SeenVain {
  readonly uid: string;
  /** digests of the changes that were asked for together, of what is declared and of what there was */
  readonly attempts: readonly string[];
}

/** What a section waits for. */
interface SeenWait {
  readonly uid: string;
  /** digest of what it says of that, and of what it was asked to look at */
  readonly of: string;
  /** monotonic milliseconds */
  readonly sinceMs: number;
}

/**
 * Which sections were found in sync, and when: an edit of one section looks at that one, not at all of them. In memory alone; after a start each
 * section is looked at once.
 */
export class SectionMemory {
  readonly #byKey = new Map<string, ReadonlyMap<string, Seen>>();
  readonly #refused = new Map<string, ReadonlyMap<string, SeenRefused>>();
  readonly #vain = new Map<string, ReadonlyMap<string, SeenVain>>();
  readonly #waits = new Map<string, ReadonlyMap<string, SeenWait>>();

  /** What is remembered of a section of this very object. */
  recall(key: Key, uid: string, name: string): Seen | undefined {
    const seen = this.#byKey.get(keyToString(key))?.get(name);
    return seen?.uid === uid ? seen : undefined;
  }

  note(key: Key, name: string, seen: Seen): void {
    const known = this.#byKey.get(keyToString(key));
    this.#byKey.set(keyToString(key), new Map([...(known ?? []), [name, seen]]));
  }

  /** The section is not in sync, or may not be. */
  drop(key: Key, name: string): void {
    const known = new Map(this.#byKey.get(keyToString(key)));
    known.delete(name);
    if (known.size === 0) this.#byKey.delete(keyToString(key));
    else this.#byKey.set(keyToString(key), known);
  }

  /** When the platform refused something of a section last; undefined where that was in another life. Wall time, milliseconds. */
  refusedAtMs(key: Key, uid: string, name: string): number | undefined {
    const seen = this.#refused.get(keyToString(key))?.get(name);
    return seen?.uid === uid ? seen.atMs : undefined;
  }

  noteRefused(key: Key, name: string, seen: SeenRefused): void {
    this.#refused.set(keyToString(key), new Map([...(this.#refused.get(keyToString(key)) ?? []), [name, seen]]));
  }

  /** Which changes of a section were asked for last, and in vain; none where that was in another life. */
  vain(key: Key, uid: string, name: string): readonly string[] {
    const seen = this.#vain.get(keyToString(key))?.get(name);
    return seen?.uid === uid ? seen.attempts : [];
  }

  noteVain(key: Key, name: string, seen: SeenVain): void {
    this.#vain.set(keyToString(key), new Map([...(this.#vain.get(keyToString(key)) ?? []), [name, seen]]));
  }

  /** What a section waits for, and since when it does in this life. */
  wait(key: Key, uid: string, name: string): SeenWait | undefined {
    const seen = this.#waits.get(keyToString(key))?.get(name);
    return seen?.uid === uid ? seen : undefined;
  }

  noteWait(key: Key, name: string, seen: SeenWait): void {
    this.#waits.set(keyToString(key), new Map([...(this.#waits.get(keyToString(key)) ?? []), [name, seen]]));
  }

  /** It waits for nobody. */
  endWait(key: Key, name: string): void {
    const waits = new Map(this.#waits.get(keyToString(key)));
    waits.delete(name);
    if (waits.size === 0) this.#waits.delete(keyToString(key));
    else this.#waits.set(keyToString(key), waits);
  }

  forget(key: Key): void {
    this.#waits.delete(keyToString(key));
    this.#byKey.delete(keyToString(key));
    this.#refused.delete(keyToString(key));
    this.#vain.delete(keyToString(key));
  }

  /** How many objects something is remembered of. */
  get size(): number {
    return new Set([this.#byKey, this.#refused, this.#vain, this.#waits].flatMap((seen) => [...seen.keys()])).size;
  }
}

/** Digest of what is declared: no value of a Secret is in it. */
export function digestOf(declared: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(declared)))
    .digest("hex")
    .slice(0, 16);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

interface Referenced {
  readonly coreSecrets: Pick<StoreReader, "get">;
  readonly configMaps: Pick<StoreReader, "get">;
}

/** The versions of the Secrets and ConfigMaps that a section is made of, as the watch tells them. */
export function versionsOf(
  { coreSecrets, configMaps }: Referenced,
  namespace: string,
  { secrets, configMaps: documents }: SectionReferences,
): readonly string[] {
  const version = (store: Pick<StoreReader, "get">, name: string): string => {
    const metadata = store.get(namespace, name)?.metadata;
    return `${name} ${metadata?.uid ?? ""} ${metadata?.resourceVersion ?? ""}`;
  };
  return [...secrets.map((name) => version(coreSecrets, name)), ...documents.map((name) => version(configMaps, name))];
}
