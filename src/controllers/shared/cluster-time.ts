import type { Environment } from "../environment.ts";

/**
 * Wall time by which what a status keeps of one process is compared by the next, milliseconds since the epoch: the apiserver's, which is the same for both.
 * By clocks of their nodes, one that is half an hour ahead would take over what was just begun as something that does not end. Our own while the
 * apiserver's is not known.
 */
export function clusterNow({ kube, clock }: Pick<Environment, "kube" | "clock">): number {
  return kube.serverNow() ?? clock.now();
}
