import type { CallOptions } from "../../api/client-options.ts";
import type { ApiClient } from "../../api/client.ts";
import type { Addons } from "../../api/contract/addons.ts";

interface Asked {
  readonly client: ApiClient;
  readonly ref: string;
  readonly call: CallOptions;
}

/** The add-ons that are selected, read once for all that one turn of the sections asks of them: more than one section is made of them. */
export class SelectedAddons {
  readonly #asked: Asked;
  #read: Promise<Addons> | undefined;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** @throws as calls of the client do; whoever asks again in the same turn is told the same */
  get(): Promise<Addons> {
    const { client, ref, call } = this.#asked;
    this.#read ??= client.addons.list({ ref }, call);
    return this.#read;
  }

  /** Something was written, add-ons perhaps. */
  forget(): void {
    this.#read = undefined;
  }
}
