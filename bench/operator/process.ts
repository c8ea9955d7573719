import { setTimeout as wait } from "node:timers/promises";
import type { Child } from "../child.ts";

/** An operator in a process of its own, and what it tells of itself. */
export interface OperatorProcess extends AsyncDisposable {
  /** when it was started, as performance.now tells */
  readonly startedMs: number;
  readonly child: Child;
  /** Resolves when /readyz says so. */
  ready(signal: AbortSignal): Promise<void>;
  /** Its metrics, in the text format of Prometheus. */
  metrics(): Promise<string>;
}

const POLL_MS = 50;

export function watchOperator(child: Child, health: string): OperatorProcess {
  const startedMs = performance.now();
  return {
    startedMs,
    child,
    ready: async (signal) => {
      while (!(await isReadyAt(health))) await wait(POLL_MS, undefined, { signal });
    },
    metrics: async () => (await fetch(`http://${health}/metrics`)).text(),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

async function isReadyAt(health: string): Promise<boolean> {
  return fetch(`http://${health}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The sum of a metric over the series whose labels are such; 0 where there is none. @param text in the format of Prometheus */
export function sumOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((pair) => line.includes(pair)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
