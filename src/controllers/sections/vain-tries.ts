import type { Key } from "../../runtime/key.ts";
import { digestOf, type SectionMemory } from "./memory.ts";
import type { SectionChange } from "./section.ts";

/**
 * What of the sections of one object was asked for in vain, in this run and when it was asked for last before it: refused until somebody acts, so that the
 * same is as good as certainly refused again. In the memory of one life: the first try of each is recorded as any other request.
 */
export class VainTries {
  readonly #memory: SectionMemory;
  readonly #key: Key;
  readonly #uid: string;
  /** of sections of which this run sent something */
  readonly #tried = new Map<string, { readonly before: readonly string[]; readonly refused: string[] }>();

  constructor(memory: SectionMemory, { key, uid }: { readonly key: Key; readonly uid: string }) {
    this.#memory = memory;
    this.#key = key;
    this.#uid = uid;
  }

  /** Whether just that was refused when the section was written last before this run. @param attempt as attemptOf tells it */
  wereVain(name: string, attempt: string): boolean {
    return (this.#tried.get(name)?.before ?? this.#memory.vain(this.#key, this.#uid, name)).includes(attempt);
  }

  /** Something of the section is sent. */
  begin(name: string): void {
    if (this.#tried.has(name)) return;
    this.#tried.set(name, { before: this.#memory.vain(this.#key, this.#uid, name), refused: [] });
    this.#memory.noteVain(this.#key, name, { uid: this.#uid, attempts: [] });
  }

  /** That certainly came to nothing. */
  refused(name: string, attempt: string): void {
    this.#tried.get(name)?.refused.push(attempt);
  }

  /** The section failed until somebody acts. */
  lasts(name: string): void {
    const tried = this.#tried.get(name);
    if (tried !== undefined) this.#memory.noteVain(this.#key, name, { uid: this.#uid, attempts: tried.refused });
  }
}

/** Digest of changes that are asked for together, of what is declared, and of what there was. Pure. @param memory digest of what the section is made of */
export function attemptOf({ memory }: { readonly memory: string }, due: readonly SectionChange[]): string {
  return digestOf([memory, due.map(({ field, difference }) => [field, difference])]);
}
