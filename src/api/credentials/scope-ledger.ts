import type { Operation } from "../contract/operation.ts";

/**
 * Which scopes an app's tokens lack, as far as answers tell: the token endpoint names none (facts.md §2, oauth token). A scope was approved when a
 * request that needs it went through; it is held for missing when one was refused (403) and none went through. A refusal of an operation whose
 * scopes are all known to be there is about the user's role or the organization's plan.
 */
export class ScopeLedger {
  readonly #held = new Set<string>();
  readonly #missing: Set<string>;

  /** @param missing what was known to be missing before */
  constructor(missing: readonly string[] = []) {
    this.#missing = new Set(missing);
  }

  /** Sorted. */
  get missing(): readonly string[] {
    return [...this.#missing].toSorted();
  }

  /** @returns whether another set is missing now */
  answered({ scopes }: Pick<Operation, "scopes">, allowed: boolean): boolean {
    const before = this.#missing.size;
    for (const scope of scopes) {
      if (allowed) {
        this.#held.add(scope);
        this.#missing.delete(scope);
      } else if (!this.#held.has(scope)) this.#missing.add(scope);
    }
    return this.#missing.size !== before;
  }
}
