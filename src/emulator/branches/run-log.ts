import { stepsAt, type StepView } from "./run-steps.ts";
import type { RunRecord } from "./run-state.ts";

/** What an action run has written by now: a line when a step begins, what it did, a line when it ends. Pure. */
export function runLog(run: RunRecord, nowMs: number): string {
  return stepsAt(run, nowMs)
    .flatMap((step) => [...ownLines(run, step, nowMs), ...overrideLines(run, step)])
    .toSorted((a, b) => a.atMs - b.atMs) // stable: lines of one moment stay in the order of the steps
    .map(({ atMs, text }) => `${new Date(atMs).toISOString()} ${text}\n`)
    .join("");
}

interface RunLogLine {
  readonly atMs: number;
  readonly text: string;
}

function ownLines({ failedStep, notes }: RunRecord, { name, span }: StepView, nowMs: number): readonly RunLogLine[] {
  if (span === undefined || nowMs < span.fromMs) return [];
  const ended = nowMs >= span.untilMs;
  const said = notes.filter(({ step }) => step === name).map(({ text }) => text);
  return [
    { atMs: span.fromMs, text: `[${name}] started` },
    ...(ended ? said : []).map((text) => ({ atMs: span.untilMs, text: `[${name}] ${text}` })),
    ...(ended ? [{ atMs: span.untilMs, text: `[${name}] ${name === failedStep ? "failed" : "done"}` }] : []),
  ];
}

function overrideLines({ overrides }: RunRecord, { name }: StepView): readonly RunLogLine[] {
  return overrides
    .filter(({ step }) => step === name)
    .map(({ status, atMs }) => ({ atMs, text: `[${name}] set to ${status}` }));
}
