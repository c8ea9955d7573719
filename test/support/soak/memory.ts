import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what the flag is documented to expose

/** The heap in use once everything that can be is collected, bytes. */
export function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
