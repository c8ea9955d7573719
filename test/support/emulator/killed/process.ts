import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, FormData, request } from "undici";
import type { Received } from "../api.ts";

/** test/support/emulator/killed: an emulator in a process of its own, which is killed while several clients write. */

const MAIN = fileURLToPath(new URL("../../../../src/main.ts", import.meta.url));
const SNAPSHOTS = fileURLToPath(new URL("snapshots.fixture.ts", import.meta.url));
const TOKEN = "test-token";
/** Connections of a process break before it is known how it ended: by so much, milliseconds. */
const REAPED_WITHIN_MS = 1000;

/** The connection broke: what was asked may have been done or not. */
export class BrokenConnectionError extends Error {
  readonly code = "BROKEN_CONNECTION";
}

/** What writes ask. */
export type Called = Pick<EmulatorProcess, "call">;

export class EmulatorProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #agent = new Agent();
  readonly #ended: Promise<unknown>;
  #sent: NodeJS.Signals | undefined;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
    this.#ended = once(child, "exit");
  }

  /** The signal that ended it; null: it runs, or ended by itself. */
  get endedBy(): NodeJS.Signals | null {
    return this.#child.signalCode;
  }

  /** As everybody starts it. */
  static start(flags: readonly string[]): Promise<EmulatorProcess> {
    const all = ["emulator", "--port", "0", "--token", TOKEN, "--no-limits", "--log-level", "error", ...flags];
    return EmulatorProcess.#run([MAIN, ...all]);
  }

  /** One that writes a snapshot after every few writes. */
  static startWithSnapshots(dataDir: string, seedFile: string): Promise<EmulatorProcess> {
    return EmulatorProcess.#run([SNAPSHOTS, dataDir, seedFile, TOKEN]);
  }

  static async #run(args: readonly string[]): Promise<EmulatorProcess> {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    for await (const url of createInterface(child.stdout)) return new EmulatorProcess(child, url);
    throw new Error("the emulator ended before it listened");
  }

  /** @throws BrokenConnectionError once it is killed */
  async call(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    token = TOKEN,
  ): Promise<Received> {
    const { type, content } = encoded(body);
    const headers = { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { "content-type": type }) };
    const sent = body === undefined ? {} : { body: content };
    const asked = request(`${this.#url}${path}`, { dispatcher: this.#agent, method, headers, ...sent });
    const { statusCode: status, text } = await this.#answered(asked);
    const json: unknown = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined;
    return { status, headers: {}, text, json };
  }

  async kill(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#sent = signal;
    this.#child.kill(signal);
    await this.#ended;
  }

  /** @throws BrokenConnectionError where no whole answer comes, with what is known of the end */
  async #answered(asked: ReturnType<typeof request>): Promise<{ readonly statusCode: number; readonly text: string }> {
    try {
      const { statusCode, body } = await asked;
      return { statusCode, text: await body.text() };
    } catch (error) {
      await Promise.race([this.#ended, wait(REAPED_WITHIN_MS, undefined, { ref: false })]);
      const { exitCode, signalCode } = this.#child;
      const end = `sent to it: ${this.#sent ?? "nothing"}, ended by: ${signalCode ?? exitCode ?? "nothing yet"}`;
      throw new BrokenConnectionError(`the emulator is gone (${end}): ${String(error)}`, { cause: error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGKILL");
    await this.#agent.destroy();
  }
}

/** A form of files says itself what it is. */
function encoded(body: unknown): { readonly type?: string; readonly content: FormData | string } {
  if (body instanceof FormData) return { content: body };
  if (body instanceof URLSearchParams) return { type: "application/x-www-form-urlencoded", content: body.toString() };
  return { type: "application/json", content: JSON.stringify(body) };
}
