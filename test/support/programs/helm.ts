import { toolPath } from "../../../tools/programs.ts";
import type { Target } from "./kubectl.ts";
import { clusterEnvironment } from "./kubectl.ts";
import type { RunOptions, RunResult } from "./run.ts";
import { run } from "./run.ts";

/** Runs the pinned helm against a cluster. */
export function helm(target: Target, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return run(toolPath("helm"), args, { ...options, env: { ...clusterEnvironment(target), ...options.env } });
}
