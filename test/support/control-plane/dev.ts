/** `node test/support/control-plane/dev.ts`: a control plane for work by hand; prints how to use it and stays until Ctrl-C. */
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { standardOutput } from "../../../src/cli/standard-output.ts";
import { toolPath } from "../../../tools/programs.ts";
import { startControlPlane } from "./control-plane.ts";

const USAGE =
  "npm run -s control-plane                start a control plane, print how to use it, and stay until Ctrl-C\n" +
  "npm run -s control-plane -- --audit     the same, with a log of all requests\n";

const stdout = standardOutput(process, "control-plane");

/** What is asked for; a text: what is wrong with it. */
function asked(): { readonly audit: boolean; readonly help: boolean } | string {
  try {
    return parseArgs({
      options: { audit: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

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

const options = asked();
if (typeof options === "string") {
  process.stderr.write(`control-plane: ${options}\n${USAGE}`);
  process.exitCode = 2;
} else if (options.help) stdout.write(USAGE);
else await start(options.audit);
