import type { KubeClient } from "../../kube/client.ts";

/** The same client, which tells of every write that the apiserver took. */
export function notingWrites(kube: KubeClient, wrote: () => void): KubeClient {
  const noted = async <T>(write: Promise<T>): Promise<T> => {
    const answer = await write;
    wrote();
    return answer;
  };
  return {
    serverNow: () => kube.serverNow(),
    get: (...input) => kube.get(...input),
    isWithdrawn: (...input) => kube.isWithdrawn(...input),
    list: (...input) => kube.list(...input),
    listPage: (...input) => kube.listPage(...input),
    watch: (...input) => kube.watch(...input),
    create: (...input) => noted(kube.create(...input)),
    update: (...input) => noted(kube.update(...input)),
    apply: (...input) => noted(kube.apply(...input)),
    patchJson: (...input) => noted(kube.patchJson(...input)),
    patchMerge: (...input) => noted(kube.patchMerge(...input)),
    delete: (...input) => noted(kube.delete(...input)),
  };
}
