import { isDeepStrictEqual } from "node:util";
import type { DriftPolicy } from "./drift-policy.ts";
import { sectionOf, type SettingName, specOf } from "./settings.ts";

type Values = ReadonlyMap<SettingName, string | number>;

/** The model of a Project's settings: what is declared of them, and what the platform is to have. Pure. */
export class DeclaredSettings {
  readonly #declared = new Map<SettingName, string | number>();
  /** as far as it is known: of a fresh project nothing but what is declared */
  readonly #found = new Map<SettingName, string | number>();
  /** declared ones that somebody set by hand, which is left so */
  readonly #drifted = new Set<SettingName>();
  /** nothing is put right for now, and no edit comes into force */
  #isPaused = false;
  #driftPolicy: DriftPolicy = "Correct";

  get declared(): Values {
    return this.#declared;
  }

  /** What the platform is to have. */
  get found(): Values {
    return this.#found;
  }

  /** Of the Project, for all that it declares. */
  get driftPolicy(): DriftPolicy {
    return this.#driftPolicy;
  }

  get isDrifted(): boolean {
    return this.#drifted.size > 0;
  }

  /** @returns whether that is an edit of the spec: what lies in a Secret may be another one without */
  declare(name: SettingName, value: string | number): boolean {
    const before = this.#declared.get(name);
    const isEdit = before === undefined || !isDeepStrictEqual(specOf(name, before), specOf(name, value));
    this.#declared.set(name, value);
    this.#drifted.delete(name);
    if (!this.#isPaused) this.#found.set(name, value);
    if (isEdit) this.#putRight(name);
    return isEdit;
  }

  /** What is taken out of the spec is left as it is (engine.md §6). */
  withdraw(name: SettingName): void {
    this.#declared.delete(name);
    this.#drifted.delete(name);
    this.#putRight(name);
  }

  /** Somebody sets it on the platform: what is declared is put back, or left by the drift policy; all else stays. */
  setByHand(name: SettingName, value: string | number): void {
    const isDeclared = this.#declared.has(name);
    const isLeft = this.#driftPolicy !== "Correct";
    if (this.#isPaused || !isDeclared || isLeft) this.#found.set(name, value);
    if (isDeclared && isLeft) this.#drifted.add(name);
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) for (const [name, value] of this.#declared) this.#found.set(name, value);
  }

  /** The project is another one now. */
  renew(): void {
    this.#found.clear();
    this.#drifted.clear();
    for (const [name, value] of this.#declared) this.#found.set(name, value);
  }

  /** There is another Project, or none. */
  begin(driftPolicy: DriftPolicy): void {
    for (const one of [this.#declared, this.#found, this.#drifted]) one.clear();
    this.#isPaused = false;
    this.#driftPolicy = driftPolicy;
  }

  /** An edit of a section puts all of that in force. */
  #putRight(edited: SettingName): void {
    for (const name of this.#drifted) {
      if (sectionOf(name) !== sectionOf(edited)) continue;
      this.#drifted.delete(name);
      const value = this.#declared.get(name);
      if (value !== undefined) this.#found.set(name, value);
    }
  }
}
