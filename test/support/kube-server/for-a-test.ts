import { onTestFinished } from "vitest";
import { type Connected, connected } from "./connected.ts";

/** A scripted server and a client of it, for as long as the test runs. */
export async function setUp(options: Parameters<typeof connected>[0] = {}): Promise<Connected> {
  const parts = await connected(options);
  onTestFinished(() => parts[Symbol.asyncDispose]());
  return parts;
}

/** A rejection as a value, so that it can be awaited later. */
export function settled(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error);
}
