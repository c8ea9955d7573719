import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { findGo } from "./go.ts";
import { lock } from "./lock.ts";
import type { Program, ToolName } from "./programs.ts";
import { buildDirectory, linkerFlags, missingPrograms, moduleDirectory, programs } from "./programs.ts";
import type { ProgressOutput, Step } from "./progress.ts";
import { standardProgress, startStep } from "./progress.ts";

/** One program could not be built; the message ends with the compiler's last lines. */
export class BuildError extends Error {
  readonly code = "BUILD_FAILED";

  constructor(program: Program, lastLines: readonly string[]) {
    super(
      [`${program.name} (${program.goPackage}) could not be built:`, ...lastLines.map((line) => `  ${line}`)].join(
        "\n",
      ),
    );
    this.name = "BuildError";
  }
}

const keptLines = 25;

/** Go with -v says one package a line; everything else that it says is kept for the error. */
function watchOutput(child: ChildProcess, step: Step): readonly string[] {
  const kept: string[] = [];
  let packages = 0;
  if (child.stderr === null) return kept;
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (/^[\w.~/-]+$/u.test(line)) {
      packages += 1;
      step.detail(`${packages} packages compiled`);
      return;
    }
    if (line.startsWith("go: downloading")) step.detail(line.slice("go: ".length));
    kept.push(line);
    if (kept.length > keptLines) kept.shift();
  });
  return kept;
}

interface BuildPlace {
  readonly go: string;
  /** Where the compiler writes: a program moves from here to `bin` when it is whole. */
  readonly scratch: string;
  readonly bin: string;
  readonly output: ProgressOutput;
  readonly signal: AbortSignal;
}

function stopGroup(child: ChildProcess): void {
  // SIGINT, as from a terminal: on it, go removes its own temporary files.
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
  } catch {
    // The group is gone already.
  }
}

function buildProgram(program: Program, place: BuildPlace): Promise<void> {
  const step = startStep(program.name, place.output);
  const target = join(place.scratch, program.name);
  const child = spawn(
    place.go,
    ["build", "-v", "-trimpath", "-ldflags", linkerFlags(), "-o", target, program.goPackage],
    {
      cwd: moduleDirectory,
      env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" },
      stdio: ["ignore", "ignore", "pipe"],
      // A group of its own, so that the compilers that go starts end with it.
      detached: true,
    },
  );
  const lines = watchOutput(child, step);
  const stop = (): void => stopGroup(child);
  place.signal.addEventListener("abort", stop, { once: true });
  return new Promise((resolve, reject) => {
    child.on("error", (error) => {
      step.end("failed");
      reject(error);
    });
    child.on("close", (code) => {
      place.signal.removeEventListener("abort", stop);
      if (place.signal.aborted) {
        step.end("stopped");
        reject(place.signal.reason);
        return;
      }
      step.end(code === 0 ? "done" : "failed");
      if (code !== 0) {
        reject(new BuildError(program, lines));
        return;
      }
      renameSync(target, join(place.bin, program.name));
      resolve();
    });
  });
}

function removeOldScratch(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith("scratch-")) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

async function buildAll(names: readonly ToolName[], output: ProgressOutput, signal: AbortSignal): Promise<void> {
  const directory = buildDirectory();
  let waiting: Step | undefined;
  const onWait = (pid: number): void => {
    waiting = startStep(`waiting for process ${pid}`, output);
  };
  using _lock = await lock(join(directory, "lock"), { onWait, signal }).finally(() => waiting?.end("done"));
  const missing = missingPrograms(names);
  if (missing.length === 0) return;
  const bin = join(directory, "bin");
  mkdirSync(bin, { recursive: true });
  removeOldScratch(directory);
  const scratch = mkdtempSync(join(directory, "scratch-"));
  try {
    const go = findGo();
    output.stream.write(
      `tools: building ${missing.length} programs into ${relative(process.cwd(), bin)} (once; the first time takes minutes)\n`,
    );
    for (const program of missing) await buildProgram(program, { go, scratch, bin, output, signal });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What ensureTools may be told. */
export interface EnsureOptions {
  /** Programs that are needed; all by default. */
  readonly names?: readonly ToolName[];
  readonly output?: ProgressOutput;
  /** Ends the build; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Makes sure that the programs are there: builds the ones that are neither in KUBEBUILDER_ASSETS nor built already. Safe to call from
 * several processes at once. A program appears whole or not at all.
 *
 * @throws GoMissingError when something must be built and Go is absent or too old
 * @throws BuildError with the compiler's last lines
 */
export async function ensureTools(options: EnsureOptions = {}): Promise<void> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets !== undefined && assets !== "" && !existsSync(assets)) {
    throw new Error(`KUBEBUILDER_ASSETS names ${assets}, which does not exist`);
  }
  const names = options.names ?? programs.map((program) => program.name);
  if (missingPrograms(names).length === 0) return;
  await buildAll(names, options.output ?? standardProgress, options.signal ?? new AbortController().signal);
}
