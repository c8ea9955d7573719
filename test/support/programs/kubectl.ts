import { dirname, join } from "node:path";
import { toolPath } from "../../../tools/programs.ts";
import type { RunOptions, RunResult } from "./run.ts";
import { goEnvironment, run } from "./run.ts";

/** The cluster that a program talks to. */
export interface Target {
  readonly kubeconfigPath: string;
}

/**
 * What tells kubectl and helm about a cluster. Their cache of the kinds that a server has lies beside the kubeconfig: the usual one, in
 * the home folder, is named by port, and another control plane may have had the port before.
 */
export function clusterEnvironment(target: Target): Readonly<Record<string, string>> {
  const cache = join(dirname(target.kubeconfigPath), "cache");
  return { KUBECONFIG: target.kubeconfigPath, KUBECACHEDIR: cache, ...goEnvironment };
}

/** Runs the pinned kubectl against a cluster. */
export function kubectl(target: Target, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return run(toolPath("kubectl"), args, { ...options, env: { ...clusterEnvironment(target), ...options.env } });
}
