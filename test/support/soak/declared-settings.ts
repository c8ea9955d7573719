import type { SettingName } from "./settings.ts";

type Values = ReadonlyMap<SettingName, string | number>;

/** The model of a Project's settings: what is declared of them, and what the platform is to have. Pure. */
export class DeclaredSettings {
  readonly #declared = new Map<SettingName, string | number>();
  /** as far as it is known: of a fresh project nothing but what is declared */
  readonly #found = new Map<SettingName, string | number>();
  /** nothing is put right for now, and no edit comes into force */
  #isPaused = false;

  get declared(): Values {
    return this.#declared;
  }

  /** What the platform is to have. */
  get found(): Values {
    return this.#found;
  }

  declare(name: SettingName, value: string | number): void {
    this.#declared.set(name, value);
    if (!this.#isPaused) this.#found.set(name, value);
  }

  /** What is taken out of the spec is left as it is (engine.md §6). */
  withdraw(name: SettingName): void {
    this.#declared.delete(name);
  }

  /** Somebody sets it on the platform: what is declared is put back, all else stays. */
  setByHand(name: SettingName, value: string | number): void {
    if (this.#isPaused || !this.#declared.has(name)) this.#found.set(name, value);
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) for (const [name, value] of this.#declared) this.#found.set(name, value);
  }

  /** The project is another one now. */
  renew(): void {
    this.#found.clear();
    for (const [name, value] of this.#declared) this.#found.set(name, value);
  }

  /** There is no Project any more. */
  clear(): void {
    this.#declared.clear();
    this.#found.clear();
    this.#isPaused = false;
  }
}
