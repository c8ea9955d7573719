import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toolPath } from "../../../tools/programs.ts";
import { run, succeeded } from "../programs/run.ts";
import type { Cluster } from "./existing.ts";
import { serverOf } from "./existing.ts";
import { Guard } from "./guard.ts";

const startMs = 300_000;

/**
 * A kind cluster of one node, named by chance so that several can be there; deleted by `stop`, or when this process ends in another way.
 *
 * @throws Error in kind's words, as when there is no Docker
 */
export async function startKindCluster(): Promise<Cluster> {
  const kind = toolPath("kind");
  const name = `baas-${randomBytes(4).toString("hex")}`;
  const dir = mkdtempSync(join(tmpdir(), "kind-"));
  const kubeconfigPath = join(dir, "kubeconfig");
  const remove = ["delete", "cluster", `--name=${name}`, `--kubeconfig=${kubeconfigPath}`];
  const guard = new Guard();
  guard.tell({ remove: dir });
  guard.tell({ run: [kind, ...remove] });
  const stop = async (): Promise<void> => {
    await run(kind, remove);
    rmSync(dir, { recursive: true, force: true });
    await guard.release();
  };
  try {
    const create = ["create", "cluster", `--name=${name}`, `--kubeconfig=${kubeconfigPath}`, "--wait=120s"];
    succeeded(await run(kind, create, { timeoutMs: startMs }));
    return { kubeconfigPath, server: await serverOf(kubeconfigPath), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
