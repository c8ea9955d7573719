import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** Rounds of the event loop without any request after which nothing more comes of what was answered. */
const QUIET_ROUNDS = 4;

/** The requests of this process that are open, whoever makes them, as undici tells; but for watches, which are always. */
export class OpenRequests implements Disposable {
  readonly #open = new Set<unknown>();
  readonly #began = (message: unknown): void => {
    const request = member(message, "request");
    if (!String(member(request, "path")).includes("watch=true")) this.#open.add(request);
  };
  readonly #ended = (message: unknown): void => void this.#open.delete(member(message, "request"));

  constructor() {
    subscribe("undici:request:create", this.#began);
    for (const name of ["undici:request:trailers", "undici:request:error"]) subscribe(name, this.#ended);
  }

  /** Resolves when no request is open, and none is begun by what the last one's answer set off. */
  async none(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet = this.#open.size === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  [Symbol.dispose](): void {
    unsubscribe("undici:request:create", this.#began);
    for (const name of ["undici:request:trailers", "undici:request:error"]) unsubscribe(name, this.#ended);
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
