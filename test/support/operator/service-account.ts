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

/** A fresh token of a ServiceAccount. @param options.audience default: the Kubernetes API @throws Error when there is no such ServiceAccount */
export async function accountToken(
  target: Target,
  { namespace, name }: ServiceAccount,
  { audience, seconds }: { readonly audience?: string; readonly seconds: number },
): Promise<string> {
  const asked = audience === undefined ? [] : [`--audience=${audience}`];
  const create = ["--namespace", namespace, "create", "token", name, `--duration=${seconds}s`, ...asked];
  return succeeded(await kubectl(target, create)).trim();
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
  const token = await accountToken(target, account, { seconds: 3600 });
  const ca = Buffer.from(cluster["certificate-authority-data"], "base64").toString("utf8");
  writeFileSync(file, kubeconfig({ server: cluster.server, ca, token }), { mode: 0o600 });
}
