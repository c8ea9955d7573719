import { z } from "zod";
import { CONTROL_PATH, type Control, controlBy } from "./control/calls.ts";

/** Steers an emulator of another process. */
export interface ControlClientOptions {
  /** base URL that the emulator printed */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
}

/** @returns calls that reject with an Error holding the emulator's words when it refuses one */
export function createControlClient({ url, fetch }: ControlClientOptions): Control {
  return controlBy(async (name, input) => {
    const response = await fetch(new URL(`${CONTROL_PATH}/${name}`, url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    const body: unknown = await response.json();
    if (response.ok) return body;
    const { message } = refusal.parse(body);
    throw new Error(`control call ${name}: ${response.status} ${message}`);
  });
}

const refusal = z.object({ message: z.string() });
