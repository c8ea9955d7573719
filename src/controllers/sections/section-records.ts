import type { SectionEntry } from "../../resources/settings/status.ts";

/**
 * What one run knows of each section of an object, in four views: what was known when it began, what is recorded before something is sent, of which sections
 * what was sent may have arrived, and what the run says of each in the end. Nobody else combines them.
 */
export class SectionRecords {
  /** what the status said when the run began, and what looks found of that since */
  readonly #was: Map<string, SectionEntry>;
  /** in the place of that, of sections of which something is or was about to be sent */
  readonly #recorded = new Map<string, SectionEntry>();
  /** those of them that the status does not say: what is tried again as it was refused */
  readonly #unstored = new Set<string>();
  /** sections of which something that this run sent may have arrived: what was recorded of them is so, and else what was known before */
  readonly #arrived = new Set<string>();
  /** what the run says */
  readonly #ends = new Map<string, SectionEntry>();

  /** @param entries what the status says of them */
  constructor(entries: readonly SectionEntry[]) {
    this.#was = new Map(entries.map((entry) => [entry.name, entry]));
  }

  /** What was known of a section before anything of it was sent. */
  was(name: string): SectionEntry | undefined {
    return this.#was.get(name);
  }

  /** The same of each section, also of those that are declared no more. */
  get allWere(): readonly SectionEntry[] {
    return [...this.#was.values()];
  }

  /** What is known of a section aside from what this run is to say of it: of what may have arrived, what was recorded before it was sent. */
  known(name: string): SectionEntry | undefined {
    return (this.#arrived.has(name) ? this.#recorded.get(name) : undefined) ?? this.#was.get(name);
  }

  mayHaveArrived(name: string): boolean {
    return this.#arrived.has(name);
  }

  /** What is recorded of a section, or was known of it before. */
  recorded(name: string): SectionEntry | undefined {
    return this.#recorded.get(name) ?? this.#was.get(name);
  }

  /** Whether the status says what is recorded of a section. */
  isStored(name: string): boolean {
    return this.#recorded.has(name) && !this.#unstored.has(name);
  }

  /** The entries of a status that says those records. */
  withRecords(records: readonly SectionEntry[]): readonly SectionEntry[] {
    const named = records.map((entry) => [entry.name, entry] as const);
    return [...new Map([...this.#was, ...this.#recorded, ...this.#ends, ...named]).values()];
  }

  /** The status says those records from here on. */
  record(records: readonly SectionEntry[]): void {
    for (const entry of records) this.#recorded.set(entry.name, entry);
  }

  /**
   * Something of a section is sent, and may arrive.
   *
   * @param known what is known of it and of others from here on
   * @param isStored whether the status says that
   * @returns takes it back: it certainly came to nothing
   */
  send(name: string, { known, isStored }: { readonly known: readonly SectionEntry[]; readonly isStored: boolean }) {
    const before = this.#recorded.get(name);
    const hadArrived = this.#arrived.has(name);
    this.record(known);
    this.#arrived.add(name);
    if (isStored) this.#unstored.delete(name);
    else this.#unstored.add(name);
    return (): void => {
      for (const entry of known) this.#recorded.delete(entry.name);
      if (before !== undefined) this.#recorded.set(name, before);
      if (!hadArrived) this.#arrived.delete(name);
    };
  }

  /** A part of a section was taken, with those secrets; undefined: none is declared. */
  take(name: string, secrets: SectionEntry["secrets"]): void {
    this.#arrived.add(name);
    if (secrets === undefined) return;
    this.#recorded.set(name, { ...(this.known(name) ?? { name, state: "Applying" }), secrets });
  }

  /** Notes of a section what served and is gone, in words; undefined: nothing is. */
  noteGone(name: string, gone: string | undefined): void {
    const known = this.#recorded.get(name);
    if (known !== undefined) this.#recorded.set(name, goneFrom(known, gone));
    this.#was.set(name, goneFrom(this.#was.get(name) ?? { name, state: "Applying" }, gone));
  }

  /** What this run says of a section; undefined: nothing yet. */
  end(name: string): SectionEntry | undefined {
    return this.#ends.get(name);
  }

  /** How a section stands in the end. */
  endAs(entry: SectionEntry): void {
    this.#ends.set(entry.name, entry);
  }

  /** What the status is to say of a section. */
  told(name: string): SectionEntry | undefined {
    return this.#ends.get(name) ?? this.known(name);
  }
}

function goneFrom({ gone: _gone, ...others }: SectionEntry, gone: string | undefined): SectionEntry {
  return gone === undefined ? others : { ...others, gone };
}
