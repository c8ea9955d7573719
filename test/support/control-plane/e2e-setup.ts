import type { TestProject } from "vitest/node";
import { bundle } from "../programs/bundle.ts";
import { acquireCluster } from "./cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The cluster that all end-to-end tests of a run share; each file uses namespaces of its own. */
    readonly cluster: { readonly kubeconfigPath: string; readonly server: string };
  }
}

/** Runs once before the end-to-end tests: they find the cluster with `inject("cluster")`, and replicas the operator's program by the environment. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = await bundle("src/main.ts");
  process.env["BAAS_PROGRAM"] = program.file;
  const started = performance.now();
  const cluster = await acquireCluster();
  console.log(`e2e: cluster ${cluster.server} is ready after ${Math.round(performance.now() - started)} ms`);
  project.provide("cluster", { kubeconfigPath: cluster.kubeconfigPath, server: cluster.server });
  return () => {
    program[Symbol.dispose]();
    return cluster.stop();
  };
}
