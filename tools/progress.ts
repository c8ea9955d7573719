import type { Writable } from "node:stream";

/** Where progress goes: a terminal gets one live line per step, anything else plain lines. */
export interface ProgressOutput {
  readonly stream: Pick<Writable, "write">;
  readonly isTerminal: boolean;
}

/** A step that is under way. */
export interface Step {
  /** Replaces what the step says about itself, as "212 packages compiled". */
  detail(text: string): void;
  /** Ends the step; the line stays with how long it took. */
  end(result: "done" | "failed" | "stopped"): void;
}

const liveEveryMs = 200;
const plainEveryMs = 15_000;

/** "4s", "2m46s". */
export function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, "0")}s`;
}

/** Standard error: standard output stays free for what a program has to say. */
export const standardProgress: ProgressOutput = { stream: process.stderr, isTerminal: process.stderr.isTTY };

/** Starts to show a step and the time it takes: on a terminal ever anew, else when it starts, every 15 s, and when it ends. */
export function startStep(name: string, output: ProgressOutput = standardProgress): Step {
  const started = performance.now();
  let detail = "";
  const line = (state: string): string => {
    const time = elapsed(performance.now() - started).padStart(6);
    return `  ${name.padEnd(24)} ${time}  ${[state, detail].filter((part) => part !== "").join(", ")}`;
  };
  const show = (state: string): void => {
    output.stream.write(output.isTerminal ? `\r\u001B[2K${line(state)}` : `${line(state)}\n`);
  };
  show("started");
  const timer = setInterval(() => show("building"), output.isTerminal ? liveEveryMs : plainEveryMs);
  return {
    detail: (text) => {
      detail = text;
    },
    end: (result) => {
      clearInterval(timer);
      show(result);
      if (output.isTerminal) output.stream.write("\n");
    },
  };
}
