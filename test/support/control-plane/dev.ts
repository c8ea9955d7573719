/** `node test/support/control-plane/dev.ts`: a control plane for work by hand; prints how to use it and stays until Ctrl-C. */
import { dirname } from "node:path";
import { standardOutput } from "../../../src/cli/standard-output.ts";
import { toolPath } from "../../../tools/programs.ts";
import { askedFlag } from "../asked-flag.ts";
import { startControlPlane } from "./control-plane.ts";

const USAGE =
  "npm run -s control-plane                start a control plane, print how to use it, and stay until Ctrl-C\n" +
  "npm run -s control-plane -- --audit     the same, with a log of all requests\n";

const stdout = standardOutput(process, "control-plane");

async function start(audit: boolean): Promise<void> {
  const started = performance.now();
  const controlPlane = await startControlPlane({ audit });
  stdout.write(`ready after ${Math.round(performance.now() - started)} ms, in ${controlPlane.dir}\n`);
  stdout.write(`export KUBECONFIG=${controlPlane.kubeconfigPath} PATH=${dirname(toolPath("kubectl"))}:$PATH\n`);
  const keepAlive = setInterval(() => undefined, 60_000);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      clearInterval(keepAlive);
      void controlPlane.stop();
    });
  }
}

const flag = askedFlag("audit", { name: "control-plane", usage: USAGE, stdout });
if (flag !== undefined) await start(flag);
