import { parseArgs } from "node:util";
import { nearInWords } from "../src/base/near.ts";
import { standardOutput } from "../src/cli/standard-output.ts";
import type { Bench } from "./bench.ts";
import { callsBench } from "./calls.ts";
import { emulatorBench } from "./emulator/bench.ts";
import { hourBench } from "./hour/bench.ts";
import { latencyBench } from "./latency/bench.ts";
import { operatorBench } from "./operator/bench.ts";
import { requestsBench } from "./operator/requests.ts";
import { queueBench } from "./queue.ts";
import { reflectorBench } from "./reflector/bench.ts";
import { asJson, asTable, thisMachine } from "./report.ts";

/**
 * bench: `npm run bench -- NAME [-o json] [--projects N] [--profile FOLDER]`. Measures on this machine and compares with what is promised; progress
 * on stderr, the result on stdout. Holds no part of the product, and nothing here runs in CI: numbers of a busy machine prove nothing.
 */

const benches: Readonly<Record<string, Bench>> = {
  calls: callsBench,
  emulator: emulatorBench,
  hour: hourBench,
  latency: latencyBench,
  operator: operatorBench,
  queue: queueBench,
  reflector: reflectorBench,
  requests: requestsBench,
};

const USAGE = `npm run bench -- NAME [-o json] [--projects N] [--profile FOLDER]\n\n${Object.entries(benches)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}\n`)
  .join("")}`;

interface Asked {
  readonly name: string;
  readonly output: string;
  readonly help: boolean;
  readonly projects?: number | undefined;
  readonly profile?: string | undefined;
}

/** What is asked for; a text: what is wrong with it. */
function asked(): Asked | string {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        output: { type: "string", short: "o", default: "table" },
        help: { type: "boolean", default: false },
        projects: { type: "string" },
        profile: { type: "string" },
      },
    });
    const [name = "", ...others] = positionals;
    if (values.help) return { name, ...values, projects: undefined };
    const projects = values.projects === undefined ? undefined : Number(values.projects);
    if (name === "") return "expected the name of a bench";
    if (!Object.hasOwn(benches, name)) return `unknown bench '${name}'${nearInWords(name, Object.keys(benches))}`;
    if (others.length > 0) return `one bench at a time, not also '${others.join("', '")}'`;
    if (projects !== undefined && !(Number.isInteger(projects) && projects > 0)) {
      return `--projects: expected a whole number from 1 on, not '${values.projects}'`;
    }
    if (!["table", "json"].includes(values.output)) return `--output: expected table or json, not '${values.output}'`;
    return { name, ...values, projects };
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // a flag that there is not
  }
}

const stdout = standardOutput(process, "bench");

async function main(): Promise<number> {
  const options = asked();
  if (typeof options === "string") {
    process.stderr.write(`bench: ${options}\n${USAGE}`);
    return 2;
  }
  const { name, output, help, projects, profile } = options;
  const bench = benches[name];
  if (help || bench === undefined) {
    stdout.write(USAGE);
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));
  const progress = (text: string): void => void process.stderr.write(`${text}\n`);
  const measures = await bench.run({ progress, signal: stop.signal, projects, profile });
  const machine = thisMachine();
  stdout.write(output === "json" ? asJson(name, machine, measures) : asTable(machine, measures));
  return 0;
}

const code = await main();
process.exitCode ??= code;
