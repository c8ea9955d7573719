import { writeFileSync } from "node:fs";
import { z } from "zod";
import { kubeconfig } from "../control-plane/kubeconfig.ts";
import type { Target } from "../programs/kubectl.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";

const viewSchema = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), "certificate-authority-data": z.string() }) }),
  ]),
});

/** A ServiceAccount by its place. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Writes a kubeconfig that holds a fresh token of a ServiceAccount (valid for an hour) and nothing of the administrator: who uses it has
 * exactly the account's rights.
 *
 * @throws Error when there is no such ServiceAccount
 */
export async function serviceAccountKubeconfig(target: Target, account: ServiceAccount, file: string): Promise<void> {
  const view = ["config", "view", "--minify", "--flatten", "--output=json"];
  const [{ cluster }] = viewSchema.parse(JSON.parse(succeeded(await kubectl(target, view)))).clusters;
  const create = ["--namespace", account.namespace, "create", "token", account.name, "--duration=1h"];
  const token = succeeded(await kubectl(target, create)).trim();
  const ca = Buffer.from(cluster["certificate-authority-data"], "base64").toString("utf8");
  writeFileSync(file, kubeconfig({ server: cluster.server, ca, token }), { mode: 0o600 });
}
