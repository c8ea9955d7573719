import { fileURLToPath } from "node:url";
import { z } from "zod";
import { helm } from "../programs/helm.ts";
import type { Target } from "../programs/kubectl.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import type { Workload } from "./pod-schema.ts";
import { workloadSchema } from "./pod-schema.ts";

/** The chart's folder in the repository. */
export const chartDirectory = fileURLToPath(new URL("../../../deploy/helm/baas-operator", import.meta.url));

const listSchema = z.object({ items: z.array(workloadSchema) });

/** An installation of the chart. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
}

/** What an installation sets. */
export interface InstallOptions extends Partial<Release> {
  /** As in a values file; checked by the chart's schema. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Folder of the chart; the repository's own by default. */
  readonly chart?: string;
}

/** The label by which `kubectl get` finds what belongs to a release. */
export function releaseSelector(release: Release): string {
  return `app.kubernetes.io/instance=${release.name}`;
}

/**
 * Installs the chart, or upgrades it when the release is there already. Does not wait for Pods: without nodes there are none.
 *
 * @throws Error in helm's words
 */
export async function installChart(target: Target, options: InstallOptions = {}): Promise<Release> {
  const release = { name: options.name ?? "baas-operator", namespace: options.namespace ?? "baas-system" };
  const args = ["upgrade", release.name, options.chart ?? chartDirectory];
  const flags = ["--install", "--create-namespace", "--namespace", release.namespace, "--values", "-"];
  // JSON is YAML too.
  succeeded(await helm(target, [...args, ...flags], { stdin: JSON.stringify(options.values ?? {}) }));
  return release;
}

/** The Deployment of a release, as the cluster holds it. */
export async function deploymentOf(target: Target, release: Release): Promise<Workload> {
  const args = ["--namespace", release.namespace, "get", "deployments", "--output=json"];
  const list: unknown = JSON.parse(succeeded(await kubectl(target, [...args, "--selector", releaseSelector(release)])));
  const { items } = listSchema.parse(list);
  const [deployment] = items;
  if (deployment === undefined || items.length > 1) {
    throw new Error(`${release.namespace}/${release.name} has ${items.length} Deployments instead of one`);
  }
  return deployment;
}
