import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nearInWords } from "../../src/base/near.ts";
import { standardOutput } from "../../src/cli/standard-output.ts";
import { elapsed, type ProgressOutput, standardProgress } from "../../tools/progress.ts";
import type { Killer } from "./mutant.ts";
import { register, type Registered, sections } from "./register.ts";
import { asTable, isKilled, type Outcome, resultOf } from "./report.ts";
import { decided, runTests, type Verdict } from "./tests.ts";
import { Workspace } from "./workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stdout = standardOutput(process, "mutations");

/**
 * Longest time of the tests of one mutant, and of all tests of one project unchanged, milliseconds. A mutant that takes longer than the first is tried once
 * more with the second limit: beside other work a test is slow that would pass.
 */
const MUTANT_MS = 180_000;
const MUTANT_AGAIN_MS = 900_000;
const UNCHANGED_MS = 3_600_000;

const USAGE = `npm run test:mutations [-- NAME...]

Breaks one promise after the other, in a copy of the tree, and runs the test that must fail for it. Progress goes to standard error, the table to
standard output. Exit code 0: every mutant was killed; 1: one survived, or the tests fail without any; 2: no such name.

  NAME          a mutant, or a section: ${sections.map(({ name }) => name).join(", ")}; default: all
  --list        names the mutants and what they break, and runs nothing
  --help        this text
`;

/** The mutants that are asked for. @throws Error for a name that there is not */
function chosen(names: readonly string[]): readonly Registered[] {
  const known = [...sections.map(({ name }) => name), ...register.map(({ mutant }) => mutant.name)];
  for (const name of names) {
    if (!known.includes(name)) throw new Error(`no mutant or section ${name}${nearInWords(name, known)}`);
  }
  const isAsked = ({ section, mutant }: Registered): boolean =>
    names.includes(section.name) || names.includes(mutant.name);
  return names.length === 0 ? register : register.filter(isAsked);
}

/** One line that changes on a terminal; elsewhere a line when something has ended. */
class Progress {
  readonly #output: ProgressOutput;

  constructor(output: ProgressOutput = standardProgress) {
    this.#output = output;
  }

  /** @param ended the last word on it: the line stays */
  show(text: string, ended: boolean): void {
    const { stream, isTerminal } = this.#output;
    if (isTerminal) stream.write(`\r\u001B[2K${text}${ended ? "\n" : ""}`);
    else if (ended) stream.write(`${text}\n`);
  }
}

interface Running {
  readonly workspace: Workspace;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** The tests must pass as things are, or their failing says nothing. @returns those that do not pass */
async function unchanged(asked: readonly Registered[], running: Running): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const killer of together(asked.map(({ mutant }) => mutant.killer))) {
    const text = `without a mutant: ${killer.files.length} files of ${killer.project}`;
    running.progress.show(text, false);
    const began = performance.now();
    const verdict = await runTests(killer, {
      ...running,
      root,
      folder: running.workspace.folder,
      timeoutMs: UNCHANGED_MS,
    });
    running.progress.show(`${text} ${verdict.kind} after ${elapsed(performance.now() - began)}`, true);
    if (verdict.kind !== "passed") verdicts.push(verdict);
  }
  return verdicts;
}

/** The tests of many mutants in few runs: whole files of a project, those of which some tests are named, and each environment by itself. */
function together(killers: readonly Killer[]): readonly Killer[] {
  const runOf = ({ project, only, environment }: Killer): string =>
    JSON.stringify([project, only === undefined, environment]);
  const runs = Map.groupBy(killers, runOf).values();
  return [...runs].flatMap((of): readonly Killer[] => {
    const [first, ...more] = new Set(of.flatMap(({ files }) => files));
    const [{ project, only, environment } = {}] = of;
    if (first === undefined || project === undefined) return [];
    const patterns = new Set(of.flatMap((killer) => killer.only ?? []));
    const chosen = only === undefined ? {} : { only: [...patterns].join("|") };
    return [{ project, files: [first, ...more], ...chosen, ...(environment === undefined ? {} : { environment }) }];
  });
}

async function each(asked: readonly Registered[], running: Running): Promise<readonly Outcome[]> {
  const { workspace, progress } = running;
  const outcomes: Outcome[] = [];
  for (const registered of asked) {
    const { section, mutant } = registered;
    const text = `[${outcomes.length + 1}/${asked.length}] ${section.sign} ${mutant.name}`;
    progress.show(text, false);
    const began = performance.now();
    const test = (timeoutMs: number): Promise<Verdict> =>
      runTests(mutant.killer, { ...running, root, folder: workspace.folder, timeoutMs });
    const verdict = await workspace.with(mutant, () => decided(test, [MUTANT_MS, MUTANT_AGAIN_MS]));
    const outcome: Outcome = { ...registered, verdict, ms: performance.now() - began };
    outcomes.push(outcome);
    progress.show(`${text}: ${resultOf(verdict)} after ${elapsed(outcome.ms)}`, true);
  }
  return outcomes;
}

async function run(asked: readonly Registered[], signal: AbortSignal): Promise<number> {
  using workspace = new Workspace(root);
  const running = { workspace, progress: new Progress(), signal };
  const failing = await unchanged(asked, running);
  if (failing.length > 0) {
    for (const verdict of failing) console.error(`fails without a mutant: ${JSON.stringify(verdict)}`);
    return 1;
  }
  const outcomes = await each(asked, running);
  stdout.write(asTable(outcomes));
  return outcomes.every((outcome) => isKilled(outcome)) ? 0 : 1;
}

async function main(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));
  try {
    const options = { help: { type: "boolean", default: false }, list: { type: "boolean", default: false } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (values.help) {
      stdout.write(USAGE);
      return 0;
    }
    const asked = chosen(positionals);
    if (!values.list) return await run(asked, stop.signal);
    for (const { section, mutant } of asked) stdout.write(`${section.sign} ${mutant.name}: ${mutant.promise}\n`);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return stop.signal.aborted ? 130 : 2;
  }
}

const code = await main();
process.exitCode ??= code;
