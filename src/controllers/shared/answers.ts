import type { ApiClient } from "../../api/client.ts";

/** An answer of a read, for whoever needs it next. */
class Kept<T> {
  #kept: { readonly ref: string; readonly answer: T } | undefined;

  /** @param ref of the project or branch that was read */
  keep(ref: string, answer: T): void {
    this.#kept = { ref, answer };
  }

  /** The answer, once: what is read after that may be read since something was written. */
  take(ref: string): T | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    return kept?.ref === ref ? kept.answer : undefined;
  }
}

type Answer<Area extends "dataApi" | "realtime"> = Awaited<ReturnType<ApiClient[Area]["get"]>>;

/**
 * What a run reads on its way to the sections, where one of them is made of the same answer (ADR 20: one read of each): whether a service that is unwell is
 * one that is off.
 */
export class AnswersOfRun {
  readonly dataApi = new Kept<Answer<"dataApi">>();
  readonly realtime = new Kept<Answer<"realtime">>();
}
