import { ensureTools } from "../../../tools/build.ts";
import { startControlPlane } from "./control-plane.ts";
import type { Cluster, Environment } from "./existing.ts";
import { existingCluster } from "./existing.ts";
import { startKindCluster } from "./kind.ts";

/**
 * The cluster that tests and the demo run against, chosen by the environment (docs/testing.md):
 *
 * - `USE_EXISTING_CLUSTER=true`: the current context of KUBECONFIG. Nothing of it is started or stopped.
 * - `E2E_CLUSTER=kind`: a kind cluster, which needs Docker, made now and deleted by `stop`.
 * - otherwise: a control plane from the programs of `npm run tools`.
 *
 * @throws Error when E2E_CLUSTER is another word, or with the reason why there is no cluster
 */
export async function acquireCluster(environment: Environment = process.env): Promise<Cluster> {
  await ensureTools();
  if (environment["USE_EXISTING_CLUSTER"] === "true") return existingCluster(environment);
  const choice = environment["E2E_CLUSTER"] ?? "";
  if (choice === "kind") return startKindCluster();
  if (choice !== "") throw new Error(`E2E_CLUSTER=${choice} is not known; it is "kind" or not set`);
  return startControlPlane();
}
