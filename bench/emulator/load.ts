import { Pool } from "undici";

/** One request as it is sent again and again. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Load {
  readonly url: string;
  /** connections, each with so many requests under way */
  readonly connections: number;
  readonly pipelining: number;
  /** requests that are sent in turn; each worker takes its own ones */
  readonly requests: readonly LoadRequest[];
  readonly expected: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly signal: AbortSignal;
  /** of the server */
  readonly cpuSeconds: () => number | undefined;
}

/** What came of it after the warm-up. */
export interface LoadResult {
  readonly perSecond: number;
  /** per second of the server's processor time: what a core of its own would do; undefined where it does not say */
  readonly perCpuSecond: number | undefined;
}

/** Keeps a server busy for a while. Rejects with the first answer of another status */
export async function load(options: Load): Promise<LoadResult> {
  const pool = new Pool(options.url, { connections: options.connections, pipelining: options.pipelining });
  const fromMs = performance.now() + options.warmUpMs;
  const untilMs = fromMs + options.measureMs;
  let answered = 0;
  let cpuFrom: number | undefined;
  const one = async (request: LoadRequest): Promise<void> => {
    const response = await pool.request(request);
    if (response.statusCode !== options.expected) {
      throw new Error(`${request.method} ${request.path}: ${response.statusCode} ${await response.body.text()}`);
    }
    await response.body.dump();
    const nowMs = performance.now();
    if (nowMs < fromMs || nowMs >= untilMs) return;
    if (answered === 0) cpuFrom = options.cpuSeconds();
    answered += 1;
  };
  const count = options.connections * options.pipelining;
  const workers = Array.from({ length: count }, async (_, index) => {
    const own = options.requests.filter((_request, position) => position % count === index);
    const turn = own.length > 0 ? own : options.requests;
    for (let sent = 0; performance.now() < untilMs && !options.signal.aborted; sent += 1) {
      const request = turn[sent % turn.length];
      if (request !== undefined) await one(request);
    }
  });
  try {
    await Promise.all(workers);
  } finally {
    await pool.destroy();
  }
  options.signal.throwIfAborted();
  const cpuUntil = options.cpuSeconds();
  return {
    perSecond: answered / (options.measureMs / 1000),
    perCpuSecond: cpuFrom === undefined || cpuUntil === undefined ? undefined : answered / (cpuUntil - cpuFrom),
  };
}
