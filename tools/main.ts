/** `npm run tools`: see build.ts. Says where the programs are; exit code 1 when one is missing, 130 after Ctrl-C. */
import { relative } from "node:path";
import { standardOutput } from "../src/cli/standard-output.ts";
import { ensureTools } from "./build.ts";
import { expectedPath, programs } from "./programs.ts";

const stdout = standardOutput(process, "tools");
const stop = new AbortController();
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    process.exitCode = exitCodes[signal];
    stop.abort(new Error(`stopped by ${signal}`));
  });
}

const USAGE =
  "npm run -s tools    builds the programs that tests and the demo need, where they are not there yet; takes no arguments\n";

async function build(): Promise<void> {
  try {
    await ensureTools({ signal: stop.signal });
    const places = new Set(
      programs.map((program) => relative(process.cwd(), expectedPath(program.name).replace(/\/[^/]+$/u, ""))),
    );
    const names = programs.map((program) => program.name).join(", ");
    stdout.write(`tools: ${names} are in ${[...places].join(" and ")}\n`);
  } catch (error) {
    process.exitCode ??= 1;
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    console.error(`tools: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}

const [arg] = process.argv.slice(2);
if (arg === "--help") stdout.write(USAGE);
else if (arg === undefined) await build();
else {
  process.stderr.write(`tools: unknown argument '${arg}'\n${USAGE}`);
  process.exitCode = 2;
}
