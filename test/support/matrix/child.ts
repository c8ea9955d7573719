import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exit } from "../operator/process.ts";
import { freePort } from "../control-plane/ports.ts";

/** How long it may take to get ready, milliseconds: a machine that is busy with other things takes long to start a program. */
const READY_MS = 120_000;
const SHOWN_CHARACTERS = 4000;

/** How a life of the operator is started. */
export interface ChildOptions {
  /** path of its main file, made of operator.fixture.ts */
  readonly program: string;
  readonly kubeconfigPath: string;
  readonly operatorNamespace: string;
  readonly leaderElect: boolean;
  /** how far its clock is ahead of the machine's, milliseconds */
  readonly aheadMs: number;
}

/** One life of the operator: a process that a test may kill at any moment. */
export class Child {
  readonly exited: Promise<Exit>;
  readonly #process: ChildProcess;
  readonly #health: string;
  #logs = "";
  #exit: Exit | undefined;

  private constructor(options: ChildOptions, port: number) {
    this.#health = `127.0.0.1:${port}`;
    const flags = [
      ["--kubeconfig", options.kubeconfigPath],
      ["--operator-namespace", options.operatorNamespace],
      ["--health-address", this.#health],
      options.leaderElect ? [] : ["--no-leader-elect"],
      // No drift check comes between what is counted.
      ["--drift-interval", "24h"],
    ].flat();
    this.#process = fork(options.program, [String(options.aheadMs), ...flags], {
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") },
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#logs += text;
    });
    this.exited = new Promise((resolve) => {
      this.#process.once("close", (code, signal) => {
        this.#exit = { code, signal };
        resolve(this.#exit);
      });
    });
  }

  /** Starts one and waits until it is ready. @throws Error with its last log lines when it is not in time */
  static async start(options: ChildOptions): Promise<Child> {
    const child = new Child(options, await freePort());
    await child.#ready();
    return child;
  }

  get logs(): string {
    return this.#logs;
  }

  /** Puts its clock ahead, and resolves when it has had a turn: on a busy machine no time passes that it had none in. */
  async advance(ms: number): Promise<void> {
    if (this.#exit !== undefined || !this.#process.connected) return;
    const { promise: told, resolve } = Promise.withResolvers<void>();
    this.#process.once("message", () => resolve());
    this.#process.send({ advanceMs: ms }, () => undefined);
    await Promise.race([told, this.exited]);
  }

  /** Resolves when it has ended; SIGKILL leaves it no moment to do anything. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> {
    if (this.#exit === undefined) this.#process.kill(signal);
    return this.exited;
  }

  /**
   * Asks it to end, as a rollout does, and waits until it has heard.
   *
   * @param graceMs after which it is killed as a kubelet would, milliseconds of the machine
   */
  async terminate(graceMs: number): Promise<void> {
    this.#process.kill("SIGTERM");
    const late = setTimeout(() => this.#process.kill("SIGKILL"), graceMs);
    void this.exited.then(() => clearTimeout(late));
    while (this.#exit === undefined && (await this.#readiness()) === 200) await wait(5);
  }

  async #readiness(): Promise<number> {
    return fetch(`http://${this.#health}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    );
  }

  async #ready(): Promise<void> {
    const end = performance.now() + READY_MS;
    for (;;) {
      if ((await this.#readiness()) === 200) return;
      if (this.#exit !== undefined || performance.now() > end) {
        await this.kill();
        throw new Error(`the operator did not get ready:\n${this.#logs.slice(-SHOWN_CHARACTERS)}`);
      }
      await wait(20);
    }
  }
}
