import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** test/support/programs: runs kubectl, helm and other programs to their end. What they are run for is the caller's business. */

/** How a program is run. */
export interface RunOptions {
  /** Given on standard input; none by default. */
  readonly stdin?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Ends the program when aborted. */
  readonly signal?: AbortSignal;
  /** Longest time that it may take; 60 s by default. */
  readonly timeoutMs?: number;
}

/** What a program said and how it ended. */
export interface RunResult {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; -1 when a signal ended it, the time limit's included. */
  readonly code: number;
}

/** For programs written in Go: the heap may grow fivefold, not twofold, before they collect, which is a quarter of their time while lives are short. */
export const goEnvironment = { GOGC: "400" } as const;

const defaultTimeoutMs = 60_000;

/**
 * Runs a program without a shell and collects what it says. A non-zero exit code is a result, not an error.
 *
 * @throws Error when the program cannot be started, or the signal's reason when aborted
 */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: "pipe",
    timeout: options.timeoutMs ?? defaultTimeoutMs,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const code = new Promise<number>((resolve, reject) => {
    child.once("error", (error) => reject(options.signal?.aborted === true ? options.signal.reason : error));
    child.once("close", (exitCode) => resolve(exitCode ?? -1));
  });
  // A program that ends without reading its input is no error.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.stdin ?? "");
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  return { command: [program, ...args].join(" "), stdout, stderr, code: exitCode };
}

/**
 * The standard output of a program that must succeed.
 *
 * @throws Error with the command and its last words when it did not
 */
export function succeeded(result: RunResult): string {
  if (result.code === 0) return result.stdout;
  throw new Error(`${result.command} ended with ${result.code}: ${result.stderr.trim() || result.stdout.trim()}`);
}
