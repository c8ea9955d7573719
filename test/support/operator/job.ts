import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Guard } from "../control-plane/guard.ts";
import type { Target } from "../programs/kubectl.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import { podProcess } from "./pod.ts";
import { workloadSchema } from "./pod-schema.ts";
import { Replica } from "./process.ts";

/** A Job by its place. */
export interface JobReference {
  readonly namespace: string;
  readonly name: string;
}

/** How a Job's Pod ended and what it wrote. */
export interface JobResult {
  readonly code: number | null;
  readonly logs: string;
}

/** What the Job controller records, in the form that kube-apiserver accepts: a final condition only after its criteria were met. */
function finished(succeededPod: boolean, startTime: string): unknown {
  const lastTransitionTime = new Date().toISOString();
  const condition = (type: string): unknown => ({
    type,
    status: "True",
    reason: "RunByTest",
    lastProbeTime: lastTransitionTime,
    lastTransitionTime,
  });
  return succeededPod
    ? {
        startTime,
        completionTime: lastTransitionTime,
        succeeded: 1,
        conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
      }
    : { startTime, failed: 1, conditions: [condition("FailureTarget"), condition("Failed")] };
}

/**
 * Does for one Job what controller and node would: runs the process of its Pod with the Job's own arguments and ServiceAccount, once, and
 * records in the Job how it ended. helm, which waits for its hooks, goes on then.
 */
export async function runJob(target: Target, job: JobReference): Promise<JobResult> {
  const place = ["--namespace", job.namespace];
  const read = await kubectl(target, [...place, "get", "job", job.name, "--output=json"]);
  const { spec } = workloadSchema.parse(JSON.parse(succeeded(read))).spec.template;
  const startTime = new Date().toISOString();
  const directory = mkdtempSync(join(tmpdir(), "job-"));
  const guard = new Guard();
  guard.tell({ remove: directory });
  try {
    const process = await podProcess(target, { ...job, spec }, directory);
    const replica = new Replica({ process, graceMs: spec.terminationGracePeriodSeconds * 1000, guard });
    const { code } = await replica.exited;
    const patch = JSON.stringify({ status: finished(code === 0, startTime) });
    succeeded(
      await kubectl(target, [
        ...place,
        "patch",
        "job",
        job.name,
        "--subresource=status",
        "--type=merge",
        "--patch",
        patch,
      ]),
    );
    return { code, logs: replica.logs() };
  } finally {
    rmSync(directory, { recursive: true, force: true });
    await guard.release();
  }
}
