import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";

/** Work that takes the machine's time beside requests, as decompressing does. */
const workBegins = channel("test:work:begins");
const workEnds = channel("test:work:ends");

/** Has whoever waits for requests wait for this work too. */
export async function asOpenRequest<T>(work: Promise<T>): Promise<T> {
  const request = { path: "" };
  workBegins.publish({ request });
  try {
    return await work;
  } finally {
    workEnds.publish({ request });
  }
}

const BEGINS = ["undici:request:create", "test:work:begins"] as const;
const ENDS = ["undici:request:trailers", "undici:request:error", "test:work:ends"] as const;

/** Whether a file is being read or written, as that of the operator's own token: of that no channel tells. */
const isAtFiles = (): boolean => process.getActiveResourcesInfo().some((name) => AT_FILES.has(name));
const AT_FILES: ReadonlySet<string> = new Set(["FSReqPromise", "CloseReq"]);

/** Rounds of the event loop without any request after which nothing more comes of what was answered. */
const QUIET_ROUNDS = 4;

/** The requests of this process that are open, whoever makes them, as undici tells, and other work that says so; but for watches, which are always. */
export class OpenRequests implements Disposable {
  readonly #open = new Set<unknown>();
  readonly #besides: string | undefined;
  readonly #began = (message: unknown): void => {
    const request = member(message, "request");
    const path = String(member(request, "path"));
    const waited = !path.includes("watch=true") && (this.#besides === undefined || !path.includes(this.#besides));
    if (waited) this.#open.add(request);
  };
  readonly #ended = (message: unknown): void => {
    this.#open.delete(member(message, "request"));
    if (this.#open.size > 0) return;
    this.#last.resolve(undefined);
    this.#last = Promise.withResolvers();
  };
  /** Until the last one ends. */
  #last = Promise.withResolvers<undefined>();

  /** @param besides part of the path of requests that are not waited for either, as their answers take time that the test is to let pass */
  constructor(besides?: string) {
    this.#besides = besides;
    for (const name of BEGINS) subscribe(name, this.#began);
    for (const name of ENDS) subscribe(name, this.#ended);
  }

  /** Resolves when no request is open nor a file at work, and none is begun by what the last one's answer set off. */
  async none(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet = this.#open.size === 0 && !isAtFiles() ? quiet + 1 : 0) {
      // Rounds while one is open would take the core that its answer needs, as where a database begins.
      if (this.#open.size > 0) await this.#last.promise;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  [Symbol.dispose](): void {
    for (const name of BEGINS) unsubscribe(name, this.#began);
    for (const name of ENDS) unsubscribe(name, this.#ended);
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
