import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Guard } from "../control-plane/guard.ts";
import type { PodProcess } from "./pod.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const pollMs = 50;

/** Stands for the container's read-only root file system and dropped capabilities: Node itself refuses to write a file or start a program. */
const readOnly = ["--permission", "--allow-fs-read=*"];
const readyDeadlineMs = 30_000;
const shownCharacters = 4000;

function program(): string {
  return process.env["BAAS_PROGRAM"] ?? "src/main.ts";
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How a replica is started. */
export interface ReplicaOptions {
  readonly process: PodProcess;
  /** Loopback port that it serves its probes and metrics on; undefined for a Job, which serves none. */
  readonly port?: number;
  /** How long it may take to end after SIGTERM, milliseconds: what the Pod is given. */
  readonly graceMs: number;
  readonly guard: Guard;
  /** A file that gets what it writes, as it writes it. */
  readonly logPath?: string | undefined;
}

/** One replica of the operator (or a Job's Pod) as a process of this machine: what `BAAS_PROGRAM` names (e2e-setup.ts), or else the sources. */
export class Replica {
  /** Base URL of /healthz, /readyz and /metrics. */
  readonly url: string;
  /** Resolves when the process has ended. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  #output = "";
  #exit: Exit | undefined;

  constructor(options: ReplicaOptions) {
    this.url = `http://127.0.0.1:${options.port ?? 0}`;
    this.#graceMs = options.graceMs;
    // A session of its own, so that a Ctrl-C reaches only the test, which then ends it as a node would.
    this.#child = spawn(process.execPath, [...readOnly, program(), ...options.process.args], {
      cwd: repository,
      env: options.process.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const { pid } = this.#child;
    if (pid !== undefined) options.guard.tell({ watch: pid });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        if (options.logPath !== undefined) appendFileSync(options.logPath, text);
      });
    }
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit): void => {
        if (pid !== undefined) options.guard.tell({ forget: pid });
        this.#exit = exit;
        resolve(exit);
      };
      this.#child.once("error", (error) => {
        this.#output += `${error.message}\n`;
        end({ code: -1, signal: null });
      });
      this.#child.once("close", (code, signal) => end({ code, signal }));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How it ended; undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Everything that it wrote so far, to both outputs. */
  logs(): string {
    return this.#output;
  }

  /** Sends a signal and resolves when the process has ended. */
  async kill(signal: NodeJS.Signals): Promise<Exit> {
    if (this.#exit === undefined) this.#child.kill(signal);
    return this.exited;
  }

  /**
   * Ends it as a node would: SIGTERM, and SIGKILL after the grace period.
   *
   * @throws Error when it had to be killed, with its last log lines
   */
  async stop(): Promise<Exit> {
    if (this.#exit !== undefined) return this.#exit;
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), this.#graceMs);
    const exit = await this.kill("SIGTERM");
    clearTimeout(timer);
    if (exit.signal === "SIGKILL") throw new Error(`not ended ${this.#graceMs} ms after SIGTERM: ${this.#lastLines()}`);
    return exit;
  }

  /** Status and text of a GET of its own server, as a probe or Prometheus would; status 0 when it does not answer. */
  async get(path: "/healthz" | "/readyz" | "/metrics"): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(this.url + path, { signal: AbortSignal.timeout(5000) });
      return { status: response.status, text: await response.text() };
    } catch {
      return { status: 0, text: "" };
    }
  }

  /**
   * Resolves when /readyz is 200.
   *
   * @throws Error with the last log lines when the process ended or was not ready in time
   */
  async waitReady(deadlineMs = readyDeadlineMs): Promise<void> {
    const end = performance.now() + deadlineMs;
    for (;;) {
      if ((await this.get("/readyz")).status === 200) return;
      if (this.#exit !== undefined) {
        throw new Error(`ended with ${this.#exit.code ?? this.#exit.signal} before it was ready: ${this.#lastLines()}`);
      }
      if (performance.now() > end) throw new Error(`not ready after ${deadlineMs} ms: ${this.#lastLines()}`);
      await wait(pollMs);
    }
  }

  #lastLines(): string {
    return `\n${this.#output.slice(-shownCharacters)}`;
  }
}
