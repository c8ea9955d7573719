import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolName } from "../../../tools/programs.ts";
import { toolPath } from "../../../tools/programs.ts";
import { goEnvironment } from "../programs/run.ts";
import type { Guard } from "./guard.ts";

const shownLines = 20;

/** A program of the control plane did not start; the message ends with the last lines of its log. */
export class StartError extends Error {
  readonly code = "CONTROL_PLANE_START";
  /** True when another process had one of the ports: other ports may do. */
  readonly portClash: boolean;

  constructor(what: string, log: string) {
    const lines = log.trimEnd().split("\n").slice(-shownLines);
    super([`${what}; the last lines of its log:`, ...lines.map((line) => `  ${line}`)].join("\n"));
    this.name = "StartError";
    this.portClash = /address already in use/u.test(log);
  }
}

/** How a program is started. */
export interface ProgramOptions {
  readonly name: ToolName;
  readonly args: readonly string[];
  /** Folder of the control plane; the log is <name>.log in it. */
  readonly dir: string;
  readonly guard: Guard;
}

/** A running program of the control plane, its log in a file, watched over by the guard. */
export class Program {
  readonly name: ToolName;
  readonly logPath: string;
  readonly #child: ChildProcess;
  readonly #guard: Guard;
  /** Resolves when the program has ended, for whatever reason. */
  readonly ended: Promise<void>;

  constructor(options: ProgramOptions) {
    this.name = options.name;
    this.#guard = options.guard;
    this.logPath = join(options.dir, `${options.name}.log`);
    const log = openSync(this.logPath, "a");
    // Files rather than pipes, and a session of its own: the program neither fills a pipe that nobody reads nor hears a Ctrl-C.
    this.#child = spawn(toolPath(options.name), options.args, {
      env: { ...process.env, ...goEnvironment },
      stdio: ["ignore", log, log],
      detached: true,
    });
    closeSync(log);
    if (this.#child.pid !== undefined) this.#guard.tell({ watch: this.#child.pid });
    this.#child.unref();
    this.ended = new Promise((resolve) => {
      this.#child.once("error", () => resolve());
      this.#child.once("exit", () => resolve());
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasExited(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Everything the program logged so far. */
  log(): string {
    return readFileSync(this.logPath, "utf8");
  }

  /** Sends a signal and resolves when the program has ended. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    if (!this.hasExited) {
      this.#child.ref();
      this.#child.kill(signal);
      await this.ended;
    }
    if (this.#child.pid !== undefined) this.#guard.tell({ forget: this.#child.pid });
  }

  /** Ends the program at once; what it stored goes with the folder. */
  stop(): Promise<void> {
    return this.kill("SIGKILL");
  }
}
