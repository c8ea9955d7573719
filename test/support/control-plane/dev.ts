/** `node test/support/control-plane/dev.ts`: a control plane for work by hand; prints how to use it and stays until Ctrl-C. */
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { toolPath } from "../../../tools/programs.ts";
import { startControlPlane } from "./control-plane.ts";

const { values } = parseArgs({ options: { audit: { type: "boolean", default: false } } });
const started = performance.now();
const controlPlane = await startControlPlane(values);
console.log(`ready after ${Math.round(performance.now() - started)} ms, in ${controlPlane.dir}`);
console.log(`export KUBECONFIG=${controlPlane.kubeconfigPath} PATH=${dirname(toolPath("kubectl"))}:$PATH`);
const keepAlive = setInterval(() => undefined, 60_000);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    clearInterval(keepAlive);
    void controlPlane.stop();
  });
}
