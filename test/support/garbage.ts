import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is only noticed as gone in one collection goes in the next, and buffers beside the heap some turns later. */
const ROUNDS = 4;

/** Resolves when everything that can be collected is. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc !== "function") throw new TypeError("garbage cannot be collected on demand");
  for (let round = 0; round < ROUNDS; round += 1) {
    gc.call(undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Memory of this process that is in use for good, bytes: what is left of the heap, and beside it of buffers, when garbage was collected. */
export async function memoryInUse(): Promise<number> {
  await collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
