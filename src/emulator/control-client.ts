import { z } from "zod";
import { causeChain, errorFacts } from "../base/error-facts.ts";
import { CONTROL_PATH, type Control, controlBy } from "./control/calls.ts";

/** Steers an emulator of another process. */
export interface ControlClientOptions {
  /** base URL that the emulator printed */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * @returns calls that reject with an Error that names the call, and holds the emulator's words when it refuses one, or what came of it that is no
 * answer of an emulator
 * @throws TypeError where `url` is no base URL of an emulator: the calls stand beside the API's paths, and not below its version
 */
export function createControlClient({ url, fetch }: ControlClientOptions): Control {
  const base = URL.parse(url);
  if (base === null || !SCHEMES.has(base.protocol) || !["", "/"].includes(base.pathname)) {
    throw new TypeError(
      "createControlClient: url: expected the base URL that the emulator printed, such as http://127.0.0.1:8787",
    );
  }
  return controlBy(async (name, input) => {
    const { status, ok, body } = await answered(name, () =>
      fetch(new URL(`${CONTROL_PATH}/${name}`, base), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(input),
      }),
    );
    if (ok && body !== undefined) return body;
    const refused = refusal.safeParse(body);
    if (ok || !refused.success) throw unanswered(name, `status ${status}`);
    throw new Error(`control call ${name}: ${status} ${refused.data.message}`);
  });
}

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:"]);

interface Answered {
  readonly status: number;
  readonly ok: boolean;
  /** undefined: it is no JSON, as that of a proxy */
  readonly body: unknown;
}

/** What fetch says of a failure is in the cause of it, if anywhere. */
async function answered(name: string, send: () => Promise<Response>): Promise<Answered> {
  try {
    const response = await send();
    const text = await response.text();
    return { status: response.status, ok: response.ok, body: read(text) };
  } catch (cause) {
    const code = causeChain(cause)
      .map((one) => errorFacts(one).code)
      .find((one) => one !== undefined);
    throw unanswered(name, code, cause);
  }
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unanswered(name: string, why: string | undefined, cause?: unknown): Error {
  return new Error(`control call ${name}: no answer of an emulator${why === undefined ? "" : ` (${why})`}`, { cause });
}

const refusal = z.object({ message: z.string() });
