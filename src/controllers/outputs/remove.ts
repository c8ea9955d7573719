import { isKubeError } from "../../kube/errors.ts";
import type { StoreReader } from "../../kube/store.ts";
import { OWNER_INDEX } from "../indexes.ts";
import type { Run } from "../shared/run.ts";
import type { CommonStatus } from "../shared/status-draft.ts";
import { isOutput } from "./marks.ts";
import type { OutputKind } from "./output-kind.ts";
import type { Owner } from "./write.ts";

interface KeptOutput {
  readonly kind: OutputKind;
  /** the output that is asked for; undefined: none of the kind */
  readonly keep: string | undefined;
}

/**
 * Deletes the outputs of an object under other names than the one that it asks for: nobody would keep them in line any more. Found by whose they are, not
 * by what a status remembers.
 *
 * @throws KubeError Conflict where somebody changed one meanwhile: read again
 */
export async function removeOthers<Status extends CommonStatus>(
  run: Run<Status>,
  { metadata: owner }: Owner,
  { kind, keep }: KeptOutput,
): Promise<void> {
  const { environment, signal } = run;
  const store: StoreReader = kind.kind === "Secret" ? environment.coreSecrets : environment.configMaps;
  for (const { metadata } of store.byIndex(OWNER_INDEX, owner.uid)) {
    const { namespace = "", name, uid, resourceVersion, deletionTimestamp } = metadata;
    if (name === keep || !isOutput(metadata) || deletionTimestamp !== undefined) continue;
    try {
      await environment.kube.delete(
        kind.type,
        { namespace, name },
        { preconditions: { uid, resourceVersion }, signal },
      );
      run.wrote("Published", `deleted the ${kind.kind} ${name}, which nothing names any more`);
    } catch (error) {
      if (!isKubeError(error, "NotFound")) throw error;
    }
  }
}
