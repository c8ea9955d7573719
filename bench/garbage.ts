import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Memory of this process that is in use for good, bytes: what is left of the heap when garbage was collected. */
export async function heapInUse(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc !== "function") throw new TypeError("garbage cannot be collected on demand");
  for (let round = 0; round < 4; round += 1) {
    gc.call(undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
