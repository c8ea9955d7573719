import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";

/** A cluster for tests or the demo, as an administrator of it. */
export interface Cluster {
  readonly kubeconfigPath: string;
  /** Base URL of its kube-apiserver. */
  readonly server: string;
  /** Gives it back: ends what was started for it, leaves an existing cluster alone. */
  stop(): Promise<void>;
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

const viewSchema = z.object({ clusters: z.array(z.object({ cluster: z.object({ server: z.string() }) })).min(1) });

/** The server of the current context of a kubeconfig. */
export async function serverOf(kubeconfigPath: string): Promise<string> {
  const view = succeeded(await kubectl({ kubeconfigPath }, ["config", "view", "--minify", "--output=json"]));
  const server = viewSchema.parse(JSON.parse(view)).clusters[0]?.cluster.server;
  if (server === undefined) throw new Error(`${kubeconfigPath} names no server`);
  return server;
}

/**
 * The cluster of the current context of KUBECONFIG (or of the usual file in the home folder).
 *
 * @throws Error when it does not answer
 */
export async function existingCluster(environment: Environment): Promise<Cluster> {
  const kubeconfigPath = environment["KUBECONFIG"] ?? join(homedir(), ".kube", "config");
  const server = await serverOf(kubeconfigPath);
  const ready = await kubectl({ kubeconfigPath }, ["get", "--raw=/readyz", "--request-timeout=10s"]);
  if (ready.code !== 0) throw new Error(`USE_EXISTING_CLUSTER: ${server} is not ready: ${ready.stderr.trim()}`);
  return { kubeconfigPath, server, stop: () => Promise.resolve() };
}
