import { branchKind } from "../../../src/resources/branch/kind.ts";
import { clusterConnectionKind, connectionKind } from "../../../src/resources/connection/kind.ts";
import { edgeFunctionKind } from "../../../src/resources/edge-function/kind.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { secretKind } from "../../../src/resources/secret/kind.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { untilEstablished } from "../programs/definitions.ts";
import { kubectl } from "../programs/kubectl.ts";
import type { RunResult } from "../programs/run.ts";
import { succeeded } from "../programs/run.ts";
import { CustomObjects } from "./api.ts";

/** The operator's reading of each kind. */
export const parsers = {
  Connection: connectionKind,
  ClusterConnection: clusterConnectionKind,
  Project: projectKind,
  Branch: branchKind,
  EdgeFunction: edgeFunctionKind,
  Secret: secretKind,
} as const;

/** A control plane that has the definitions of crds/. One of its own, since other tests install them as a part of the chart. */
export interface Definitions extends AsyncDisposable {
  readonly objects: CustomObjects;
  /** What kubectl said when it applied crds/. */
  readonly installed: RunResult;
  kubectl(args: readonly string[], stdin?: string): Promise<RunResult>;
  /** Makes a namespace. */
  namespace(name: string): Promise<void>;
}

/** Starts a control plane and applies crds/ to it. */
export async function startWithDefinitions(): Promise<Definitions> {
  const plane = await startControlPlane();
  const run = (args: readonly string[], stdin = ""): Promise<RunResult> => kubectl(plane, args, { stdin });
  const installed = await run(["apply", "-f", "crds/"]);
  succeeded(installed);
  await untilEstablished(plane, ["crd", "--all"]);
  const objects = new CustomObjects(plane);
  return {
    objects,
    installed,
    kubectl: run,
    namespace: async (name) => {
      succeeded(await run(["create", "namespace", name]));
    },
    [Symbol.asyncDispose]: async () => {
      await objects[Symbol.asyncDispose]();
      await plane.stop();
    },
  };
}
