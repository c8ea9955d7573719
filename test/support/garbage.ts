import { getHeapCodeStatistics, queryObjects, setFlagsFromString } from "node:v8";
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

/**
 * Objects of JavaScript that are in use for good, arrays, functions and promises among them: no code, and nothing that V8 notes for itself, so that the
 * number is exact where the same is done again and again. The count takes a second or two.
 */
export async function objectsInUse(): Promise<number> {
  await collectGarbage();
  return queryObjects(Object, { format: "count" });
}

/** What a process keeps. */
export interface Kept {
  /** objects of JavaScript */
  readonly kept: number;
  /** bytes in use without those of code: of the heap, and of buffers beside it */
  readonly memory: number;
  /** bytes of code, which V8 compiles anew for hours, better and larger, as it is used, and throws away where it is not */
  readonly code: number;
}

/** What this process keeps, when garbage was collected. */
export async function keptInAll(): Promise<Kept> {
  const inUse = await memoryInUse();
  const { code_and_metadata_size: compiled, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics();
  const code = compiled + bytecode;
  return { kept: await objectsInUse(), memory: inUse - code, code };
}
