/** Starts a control plane for control-plane.test.ts, says what there is to clean up, and ends without stopping it. */
import { once } from "node:events";
import { startControlPlane } from "./control-plane.ts";

const controlPlane = await startControlPlane();
console.log(JSON.stringify({ pids: controlPlane.pids(), dir: controlPlane.dir }));
await once(process.stdin, "data");
process.exit(0);
