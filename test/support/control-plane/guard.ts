import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { WatchdogLine } from "./watchdog.ts";

const watchdogFile = fileURLToPath(new URL("watchdog.ts", import.meta.url));

/**
 * This process's end of a watchdog: whatever it is told of is cleaned up when this process ends, by whatever means, SIGKILL included.
 * It does not keep this process alive.
 */
export class Guard {
  readonly #child: ChildProcess;

  constructor() {
    // A session of its own: a Ctrl-C in the terminal reaches this process only, which then ends and so tells the watchdog.
    this.#child = spawn(process.execPath, [watchdogFile], { stdio: ["pipe", "ignore", "ignore"], detached: true });
    this.#child.unref();
    this.#child.stdin?.on("error", () => undefined);
    if (this.#child.stdin instanceof Socket) this.#child.stdin.unref();
  }

  /** Process id of the watchdog. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Tells the watchdog; the line is in the pipe when this returns. */
  tell(line: WatchdogLine): void {
    this.#child.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  /** Everything was cleaned up: the watchdog forgets all and ends. Resolves when it did. */
  async release(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#child.ref();
    this.tell({ release: true });
    this.#child.stdin?.end();
    await ended;
  }
}
