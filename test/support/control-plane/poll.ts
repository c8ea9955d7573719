import { request } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import type { Program } from "./program.ts";
import { StartError } from "./program.ts";

const pollMs = 50;
const answerMs = 5000;

/** What waitUntilReady needs to know. */
export interface ReadyOptions {
  /** The programs that must live until then. */
  readonly programs: readonly Program[];
  /** True when the last of them does its work. A rejection counts as not yet. */
  readonly isReady: () => Promise<boolean>;
  readonly deadlineMs: number;
}

/**
 * Polls until the last of the programs is ready.
 *
 * @throws StartError with the log of the program that ended, or that was not ready in time
 */
export async function waitUntilReady(options: ReadyOptions): Promise<void> {
  const end = performance.now() + options.deadlineMs;
  // A program that ended is told at once, though the question may hang: another process may hold its port and say nothing.
  const anyEnd = Promise.race(options.programs.map((program) => program.ended.then(() => false)));
  for (;;) {
    const ready = await Promise.race([options.isReady().catch(() => false), anyEnd]);
    const ended = options.programs.find((program) => program.hasExited);
    if (ended !== undefined) throw new StartError(`${ended.name} ended while it was starting`, ended.log());
    if (ready) return;
    if (performance.now() > end) {
      const last = options.programs.at(-1);
      const seconds = Math.round(options.deadlineMs / 1000);
      throw new StartError(`${last?.name ?? "the program"} was not ready after ${seconds} s`, last?.log() ?? "");
    }
    await wait(pollMs);
  }
}

/** Where and as whom to ask. */
export interface Endpoint {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** Status of a GET to an apiserver; rejects when there is no answer. */
export function statusOf(endpoint: Endpoint, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, endpoint.server), {
      ca: endpoint.ca,
      headers: { authorization: `Bearer ${endpoint.token}` },
      agent: false,
      signal: AbortSignal.timeout(answerMs),
    });
    call.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on("error", reject);
    call.end();
  });
}
