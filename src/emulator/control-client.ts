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
 * @returns calls that reject with an Error that names the call, and holds the emulator's words when it refuses one
 * @throws TypeError where `url` is no base URL of an emulator: the calls stand beside the API's paths, and not below its version
 */
export function createControlClient({ url, fetch }: ControlClientOptions): Control {
  const base = URL.parse(url);
  if (base === null || !["", "/"].includes(base.pathname)) {
    throw new TypeError(
      "createControlClient: url: expected the base URL that the emulator printed, such as http://127.0.0.1:8787",
    );
  }
  return controlBy(async (name, input) => {
    const response = await sent(name, () =>
      fetch(new URL(`${CONTROL_PATH}/${name}`, base), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(input),
      }),
    );
    const body: unknown = await response.json();
    if (response.ok) return body;
    const { message } = refusal.parse(body);
    throw new Error(`control call ${name}: ${response.status} ${message}`);
  });
}

/** What fetch says of a failure is in the cause of it, if anywhere. */
async function sent(name: string, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    const code = causeChain(cause)
      .map((one) => errorFacts(one).code)
      .find((one) => one !== undefined);
    throw new Error(`control call ${name}: no answer of an emulator${code === undefined ? "" : ` (${code})`}`, {
      cause,
    });
  }
}

const refusal = z.object({ message: z.string() });
