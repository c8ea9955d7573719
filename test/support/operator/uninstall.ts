import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { helm } from "../programs/helm.ts";
import type { Target } from "../programs/kubectl.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import type { JobResult } from "./job.ts";
import { runJob } from "./job.ts";
import type { OperatorHandle } from "./operator.ts";

const pollMs = 200;

const jobList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), uid: z.string() }),
      status: z.object({ conditions: z.array(z.unknown()).default([]) }).default({ conditions: [] }),
    }),
  ),
});

/** What an uninstall did besides deleting. */
export interface Uninstalled {
  /** The Jobs that helm started as hooks, and how they ended. */
  readonly hooks: readonly JobResult[];
}

async function isGone(target: Target, operator: OperatorHandle): Promise<boolean> {
  const { namespace, name } = operator.release;
  const selector = `app.kubernetes.io/instance=${name},app.kubernetes.io/part-of=baas-operator`;
  const args = ["--namespace", namespace, "get", "deployments", "--selector", selector, "--output=name"];
  return succeeded(await kubectl(target, args)) === "";
}

/** Jobs that nobody has run yet. */
async function waitingJobs(target: Target, namespace: string): Promise<readonly string[]> {
  const list = succeeded(await kubectl(target, ["--namespace", namespace, "get", "jobs", "--output=json"]));
  const { items } = jobList.parse(JSON.parse(list));
  return items.filter(({ status }) => status.conditions.length === 0).map(({ metadata }) => metadata.name);
}

/** Until `end`: ends the replicas when their Deployment is gone. */
async function stopWhenGone(target: Target, operator: OperatorHandle, end: AbortSignal): Promise<void> {
  while (!end.aborted && !(await isGone(target, operator))) await wait(pollMs);
  await operator.stop();
}

/** Until `end`: runs the Jobs that appear. */
async function runJobs(target: Target, namespace: string, end: AbortSignal): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  while (!end.aborted) {
    for (const name of await waitingJobs(target, namespace)) results.push(await runJob(target, { namespace, name }));
    await wait(pollMs);
  }
  return results;
}

/**
 * `helm uninstall` with its hooks, while this process does what a cluster with nodes would: ends the operator's replicas when their
 * Deployment is gone, and runs the Jobs that helm makes.
 *
 * @throws Error in helm's words, with what the hooks wrote
 */
export async function uninstallChart(target: Target, operator: OperatorHandle): Promise<Uninstalled> {
  const { namespace, name } = operator.release;
  const end = new AbortController();
  const uninstall = helm(target, ["uninstall", name, "--namespace", namespace], { timeoutMs: 180_000 });
  const [result, hooks] = await Promise.all([
    uninstall.finally(() => end.abort()),
    runJobs(target, namespace, end.signal),
    stopWhenGone(target, operator, end.signal),
  ]);
  if (result.code !== 0) throw new Error([result.stderr, ...hooks.map(({ logs }) => logs)].join("\n"));
  return { hooks };
}
